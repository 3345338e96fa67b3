import { createHash } from 'node:crypto';
import {
  addressFacts,
  type DataObject,
  dataFacts,
  hostInputs,
  hostNameOf,
  ipAddressClaimFacts,
  ipClaimFacts,
  isPaused,
  machineOfClaim,
  metal3MachineFacts,
  metaOf,
  namedFacts,
  ownerOf,
  readClaim,
  readData,
  readTemplate,
} from '../../activities/kubernetes/data/objects.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { examine } from '../../domain/data/examine.ts';
import { DATA_FINALIZER } from '../../domain/data/names.ts';
import type { AddressObjects, DataObjects } from '../../domain/data/objects.ts';
import type { RenderedSecret } from '../../domain/data/render.ts';
import type { DataSnapshot } from '../../domain/data/snapshot.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { WORKFLOW_TYPES } from '../../workflows/kinds/messages.ts';
import { type Binding, CLUSTER_API_EVENTS } from './binding.ts';
import { dataConcerned } from './data-concerned.ts';
import { identityOf } from './identity.ts';

/** Metal3Data with a digest of their inputs. */
export const dataBinding: Binding = {
  followed: KINDS.data,
  workflowType: WORKFLOW_TYPES.Metal3Data,
  finalizer: DATA_FINALIZER,
  related: [
    KINDS.dataTemplate,
    KINDS.dataClaim,
    KINDS.metal3Machine,
    KINDS.machine,
    KINDS.cluster,
    KINDS.ipClaim,
    KINDS.ipAddress,
    KINDS.ipAddressClaim,
    KINDS.clusterIpAddress,
    KINDS.host,
    KINDS.secret,
  ],
  unreadableReason: 'InvalidMetal3Data',
  ...CLUSTER_API_EVENTS,
  concerned: dataConcerned,

  observe(entry, stores): DataSnapshot | undefined {
    const data = readData(entry.object);
    const { metadata, spec } = data;
    const { namespace } = metadata;
    const cluster = stores.get(
      KINDS.cluster,
      keyOf({ namespace, name: metadata.labels?.[CLUSTER_LABELS.clusterName] ?? '' }),
    );
    const paused = cluster !== undefined && (isPaused(cluster.object) || isPaused({ metadata, spec: {} }));
    const held = metadata.finalizers?.includes(DATA_FINALIZER) === true;
    const isLeaving = metadata.deletionTimestamp !== undefined;
    // Nothing was started for it, so nothing has to be ended.
    if (!held && !isLeaving && (paused || cluster === undefined)) return undefined;
    const { secrets, unclaimed, strays, hindrance, rendered } = examine(objectsOf(data, stores));
    const claim = spec.claim?.name;
    return {
      ...identityOf(metadata),
      paused,
      hasCluster: cluster !== undefined,
      held,
      named: { metaData: spec.metaData?.name, networkData: spec.networkData?.name },
      hasClaim:
        claim !== undefined &&
        stores.get(KINDS.dataClaim, keyOf({ namespace: spec.claim?.namespace ?? namespace, name: claim })) !==
          undefined,
      secrets,
      unclaimed,
      strays,
      ...(hindrance !== undefined && { hindrance }),
      ...(rendered.length > 0 && { digest: digestOf(rendered) }),
    };
  },

  essence(seen) {
    const { resourceVersion: _, generation: __, ...rest } = seen;
    return rest;
  },
};

/** What a Metal3Data waits for; undefined when it waits for nothing or has an error. */
export function waitedForBy(entry: Entry, stores: Stores): string | undefined {
  const { hindrance } = examine(objectsOf(readData(entry.object), stores));
  return hindrance?.kind === 'waiting' ? hindrance.message : undefined;
}

const digestOf = (rendered: readonly RenderedSecret[]): string =>
  createHash('sha256').update(JSON.stringify(rendered)).digest('base64url');

function objectsOf(data: DataObject, stores: Stores): DataObjects {
  const { namespace } = data.metadata;
  const find = (kind: FollowedKind, name: string | undefined): unknown =>
    name === undefined ? undefined : stores.get(kind, keyOf({ namespace, name }))?.object;
  const facts = dataFacts(data);
  const template = find(KINDS.dataTemplate, facts.template?.name);
  const claim = find(KINDS.dataClaim, facts.claim?.name);
  const owner = claim === undefined ? undefined : machineOfClaim(readClaim(claim))?.name;
  const machineObject = find(KINDS.metal3Machine, owner);
  const metal3Machine = machineObject === undefined ? undefined : metal3MachineFacts(machineObject);
  const machine =
    machineObject === undefined ? undefined : find(KINDS.machine, ownerOf(metaOf(machineObject), KINDS.machine)?.name);
  const hostName = metal3Machine && hostNameOf(metal3Machine);
  const host =
    hostName === undefined ? undefined : stores.get(KINDS.host, keyOf({ namespace, name: hostName }))?.object;
  return {
    data: facts,
    ...(template !== undefined && readTemplate(template)),
    ...(claim !== undefined && { claim: { metal3Machine: owner } }),
    metal3Machine,
    machine: machine === undefined ? undefined : namedFacts(machine),
    host: host === undefined ? undefined : hostInputs(host),
    hasSecret: (name) => stores.get(KINDS.secret, keyOf({ namespace, name })) !== undefined,
    addresses: addressObjects(find),
  };
}

function addressObjects(find: (kind: FollowedKind, name: string) => unknown): AddressObjects {
  const reader =
    <Facts>(kind: FollowedKind, read: (object: unknown) => Facts) =>
    (name: string): Facts | undefined => {
      const found = find(kind, name);
      return found === undefined ? undefined : read(found);
    };
  return {
    ipClaim: reader(KINDS.ipClaim, ipClaimFacts),
    ipAddress: reader(KINDS.ipAddress, addressFacts),
    ipAddressClaim: reader(KINDS.ipAddressClaim, ipAddressClaimFacts),
    clusterIpAddress: reader(KINDS.clusterIpAddress, addressFacts),
  };
}
