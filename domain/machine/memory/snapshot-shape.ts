import { flag, nullable, object, optional, type Shape, table, tableOf, text, whole } from '../../message/shape.ts';

const objectName = { name: text, namespace: text };

/** The shape of a Metal3Machine's snapshot. Its spec was read with the schema of the CRD before it was sent. */
export const machineSnapshot: Shape = object({
  labels: tableOf(text),
  paused: flag,
  hasFinalizer: flag,
  retry: optional(text),
  hostAnnotation: optional(text),
  spec: table,
  settings: object({ providerIdFormat: text, fastTrack: flag }),
  owner: optional(nullable(object({ ...objectName, clusterName: text, bootstrapReady: flag }))),
  cluster: optional(object({ ...objectName, paused: flag, deleting: flag, infrastructureReady: flag })),
  metal3Cluster: optional(
    object({ ...objectName, cloudProvider: flag, paused: flag, labelSyncPrefixes: optional(text) }),
  ),
  host: optional(
    object({ ...objectName, uid: text, labels: tableOf(text), state: text, deleting: flag, online: flag }),
  ),
  claim: optional(object({ deleting: flag, hasFinalizer: flag })),
  data: optional(object({ ...objectName, ready: flag })),
  template: optional(object({ paused: flag })),
  hostNews: optional(object({ bridge: text, count: whole(0) })),
  nodeDrift: optional(text),
  status: optional(table),
});
