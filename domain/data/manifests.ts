import { DATA_FINALIZER } from '../../api/metal3data/kind.ts';
import { DATA_CLAIM_FINALIZER } from '../../api/metal3dataclaim/kind.ts';
import { CLUSTER_LABELS } from '../cluster-api/names.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import {
  CLAIM_LABELS,
  CLUSTER_IPAM_API,
  claimName,
  dataName,
  INFRASTRUCTURE_API,
  IPAM_API,
  SECRET_TYPE,
} from './names.ts';
import type { PoolReference } from './pools.ts';

/** Objects to create, in the shape of their API. */

export interface DataIdentity extends ObjectRef {
  readonly labels: Readonly<Record<string, string>>;
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: true;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly namespace: string; readonly name: string };
}

interface DataOrder {
  readonly template: string;
  readonly index: number;
  readonly claim: DataIdentity;
  readonly metal3Machine: { readonly name: string; readonly uid: string };
}

/**
 * Owned by the claim, so that it moves and is deleted with the machine's Cluster; not by the template, which is shared.
 */
export function dataManifest({
  template,
  index,
  claim,
  metal3Machine,
}: DataOrder): Manifest & { readonly spec: object } {
  const { namespace, name, uid, labels } = claim;
  return {
    apiVersion: INFRASTRUCTURE_API,
    kind: 'Metal3Data',
    metadata: {
      namespace,
      name: dataName(template, index),
      labels,
      finalizers: [DATA_CLAIM_FINALIZER],
      ownerReferences: [
        { apiVersion: INFRASTRUCTURE_API, kind: 'Metal3DataClaim', name, uid, controller: true },
        { apiVersion: INFRASTRUCTURE_API, kind: 'Metal3Machine', ...metal3Machine },
      ],
    },
    spec: { index, template: { name: template, namespace }, claim: { name, namespace } },
  };
}

const ownedBy = ({ name, uid }: ObjectRef): readonly OwnerReference[] => [
  { apiVersion: INFRASTRUCTURE_API, kind: 'Metal3Data', name, uid, controller: true },
];

/**
 * With `host` the claim is named after the host, so that a pool can reserve an address for the host
 * (--enable-bmh-name-based-preallocation).
 */
export function ipClaimManifest(data: DataIdentity, pool: string, host?: string): Manifest & { readonly spec: object } {
  const { namespace } = data;
  const preallocated = { [CLAIM_LABELS.data]: data.name, [CLAIM_LABELS.pool]: pool };
  return {
    apiVersion: IPAM_API,
    kind: 'IPClaim',
    metadata: {
      namespace,
      name: claimName(host ?? data.name, pool),
      labels: { ...data.labels, ...(host !== undefined && preallocated) },
      finalizers: [DATA_FINALIZER],
      ownerReferences: ownedBy(data),
    },
    spec: { pool: { name: pool, namespace } },
  };
}

/** The manifest of an IPAddressClaim, for pools that are not Metal3's. */
export const ipAddressClaimManifest = (
  data: DataIdentity,
  pool: PoolReference,
): Manifest & { readonly spec: object } => ({
  apiVersion: CLUSTER_IPAM_API,
  kind: 'IPAddressClaim',
  metadata: {
    namespace: data.namespace,
    name: claimName(data.name, pool.name),
    labels: data.labels,
    finalizers: [DATA_FINALIZER],
    ownerReferences: ownedBy(data),
  },
  spec: { poolRef: pool },
});

interface SecretOrder {
  readonly data: ObjectRef;
  readonly name: string;
  /** Name of the Cluster. */
  readonly cluster: string;
  readonly key: 'metaData' | 'networkData';
  readonly text: string;
}

export const secretManifest = ({
  data,
  name,
  cluster,
  key,
  text,
}: SecretOrder): Manifest & { readonly type: string } & {
  readonly stringData: Readonly<Record<string, string>>;
} => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace: data.namespace,
    name,
    labels: { [CLUSTER_LABELS.clusterName]: cluster },
    ownerReferences: ownedBy(data),
  },
  type: SECRET_TYPE,
  stringData: { [key]: text },
});
