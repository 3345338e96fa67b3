import { z } from 'zod';
import { readConsumedHost } from '../../api/baremetalhost/consumed.ts';
import { lenientFlag, lenientText, lenientTexts, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { ownerReference, secretReference } from '../../api/meta/references.ts';
import { metal3MachineTemplate } from '../../api/metal3machine/schema.ts';
import {
  CLUSTER_GROUP,
  CLUSTER_LABELS,
  CONTROL_PLANE_GROUP,
  groupOf,
  isPausedByAnnotation,
} from '../../domain/cluster-api/names.ts';
import type { Condition, LegacyCondition } from '../../domain/entity/view.ts';
import { type HostFacts, hostFacts } from '../../domain/machine/host-facts.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import type { MachineDataSeen, Metal3ClusterSeen, OwnerMachine, TemplateSeen } from '../../domain/machine/snapshot.ts';
import { once } from '../../kube/once.ts';
import type { Entry } from '../../kube/store.ts';
import { conditionsOf, legacyConditionsOf } from '../publish/object.ts';

/** Foreign objects, reduced to the fields that machines and clusters use. Lenient: other fields may be malformed. */

const metadata = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  labels: lenientTexts,
  annotations: lenientTexts,
  finalizers: z.array(z.string()).catch([]),
  ownerReferences: z.array(ownerReference).catch([]),
  deletionTimestamp: maybeText,
});
export type Metadata = z.infer<typeof metadata>;

const anyObject = z.object({ metadata });
const status = z.record(z.string(), z.unknown()).catch({});
const reference = z
  .object({ name: z.string(), kind: z.string().default('') })
  .optional()
  .catch(undefined);

/** Parses a cached object, once for each of its versions. */
function ofEntry<T>(read: (object: unknown) => T): (entry: Entry) => T {
  const readOnce = once(read);
  return ({ object }) => readOnce(object);
}

export const metadataOf = ofEntry((object): Metadata => anyObject.parse(object).metadata);
export const factsOf = ofEntry((object): HostFacts => hostFacts(readConsumedHost(object)));

/** The owner of this kind and group. */
export const ownerNamed = ({ ownerReferences }: Metadata, kind: string, group: string): string | undefined =>
  ownerReferences.find((owner) => owner.kind === kind && groupOf(owner.apiVersion) === group)?.name;

const machine = z.object({
  metadata,
  spec: orEmpty(
    z.object({
      clusterName: lenientText,
      failureDomain: maybeText,
      bootstrap: z.object({ configRef: reference, dataSecretName: maybeText }).catch({}),
      infrastructureRef: reference,
    }),
  ),
  status,
});
const nodeRef = z.object({ nodeRef: z.object({ name: z.string() }) });

interface MachineSeen {
  readonly owner: OwnerMachine;
  /** From its label; '' without one. */
  readonly cluster: string;
  /** Name of its Metal3Machine, '' when it has another infrastructure. */
  readonly infrastructure: string;
}

/** A Machine of Cluster API. */
export const machineOf = ofEntry((object): MachineSeen => {
  const { metadata: meta, spec, status: said } = machine.parse(object);
  const { configRef, dataSecretName } = spec.bootstrap;
  const { failureDomain, clusterName, infrastructureRef } = spec;
  const node = nodeRef.safeParse(said).data?.nodeRef.name;
  const isControlPlane = CLUSTER_LABELS.controlPlane in meta.labels;
  const ofGroup = (group: string) => meta.ownerReferences.find(({ apiVersion }) => groupOf(apiVersion) === group);
  const controlPlane = isControlPlane ? ofGroup(CONTROL_PLANE_GROUP) : undefined;
  const machineSet = meta.ownerReferences.find(
    ({ kind, apiVersion }) => kind === 'MachineSet' && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return {
    owner: {
      name: meta.name,
      namespace: meta.namespace,
      clusterName,
      ...(failureDomain && { failureDomain }),
      ...(configRef !== undefined && { configRef: configRef.name }),
      ...(dataSecretName !== undefined && { dataSecretName }),
      bootstrapReady: isTrue(said, 'BootstrapReady'),
      ...(node && { nodeRef: node }),
      ...(controlPlane && {
        controlPlane: { apiVersion: controlPlane.apiVersion, kind: controlPlane.kind, name: controlPlane.name },
      }),
      ...(machineSet && !isControlPlane && { machineSet: { name: machineSet.name, uid: machineSet.uid } }),
    },
    cluster: meta.labels[CLUSTER_LABELS.clusterName] ?? '',
    infrastructure: infrastructureRef?.kind === 'Metal3Machine' ? infrastructureRef.name : '',
  };
});

const cluster = z.object({
  metadata,
  spec: orEmpty(z.object({ paused: lenientFlag, infrastructureRef: reference })),
  status,
});

/** A Cluster of Cluster API. */
export const clusterOf = ofEntry((object) => {
  const { metadata: meta, spec, status: said } = cluster.parse(object);
  return {
    namespace: meta.namespace,
    name: meta.name,
    paused: spec.paused,
    deleting: meta.deletionTimestamp !== undefined,
    infrastructureReady: isTrue(said, 'InfrastructureReady'),
    /** Name of its Metal3Cluster. */
    infrastructure: spec.infrastructureRef?.name ?? '',
  };
});

/** True when a legacy condition is True. */
const isTrue = (said: z.infer<typeof status>, type: string): boolean =>
  legacyConditionsOf(said).some((condition) => condition.type === type && condition.status === 'True');

const secret = secretReference.optional().catch(undefined);
const data = z.object({
  metadata,
  spec: orEmpty(z.object({ metaData: secret, networkData: secret })),
  status: orEmpty(z.object({ ready: lenientFlag, errorMessage: maybeText })),
});

/** A Metal3Data with the fields that its machine uses. */
export const dataOf = ofEntry((object): MachineDataSeen => {
  const { metadata: meta, spec, status: said } = data.parse(object);
  const { metaData, networkData } = spec;
  return {
    namespace: meta.namespace,
    name: meta.name,
    ready: said.ready,
    ...(metaData && { metaData }),
    ...(networkData && { networkData }),
    ...(said.errorMessage && { errorMessage: said.errorMessage }),
  };
});

const metal3Cluster = z.object({
  metadata,
  spec: orEmpty(z.object({ cloudProviderEnabled: lenientFlag })),
});

/** A Metal3Cluster with the fields that its machines use. */
export const metal3ClusterOf = ofEntry((object): Metal3ClusterSeen => {
  const { metadata: meta, spec } = metal3Cluster.parse(object);
  const prefixes = meta.annotations[MACHINE_ANNOTATIONS.labelSyncPrefixes];
  return {
    namespace: meta.namespace,
    name: meta.name,
    cloudProvider: spec.cloudProviderEnabled,
    paused: isPausedByAnnotation(meta),
    ...(prefixes !== undefined && { labelSyncPrefixes: prefixes }),
  };
});

/** A Metal3MachineTemplate with the fields that its machines use; undefined when it is unreadable. */
export const templateOf = ofEntry((object): TemplateSeen | undefined => {
  const read = metal3MachineTemplate.safeParse(object);
  if (!read.success) return undefined;
  const { automatedCleaningMode } = read.data.spec.template.spec;
  return {
    paused: isPausedByAnnotation(read.data.metadata),
    ...(automatedCleaningMode && { automatedCleaningMode }),
  };
});

/** The conditions without the fields that are added when they are written. */
export const conditionsIn = (said: Readonly<Record<string, unknown>>): readonly Condition[] =>
  conditionsOf(said).map(({ type, status: is, reason, message }) => ({ type, status: is, reason, message }));
export const legacyConditionsIn = (said: Readonly<Record<string, unknown>>): readonly LegacyCondition[] =>
  legacyConditionsOf(said).map(({ type, status: is, severity, reason, message }) => ({
    type,
    status: is,
    ...(severity && { severity }),
    ...(reason && { reason }),
    ...(message && { message }),
  }));
