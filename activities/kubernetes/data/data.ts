import { ApplicationFailure } from '@temporalio/common';
import { DATA_FINALIZER } from '../../../api/metal3data/kind.ts';
import type { ContentMap } from '../../../domain/data/content.ts';
import type { DataAnswer } from '../../../domain/data/entity.ts';
import { askedPools, assess } from '../../../domain/data/examine.ts';
import {
  type DataIdentity,
  ipAddressClaimManifest,
  ipClaimManifest,
  secretManifest,
} from '../../../domain/data/manifests.ts';
import { isMetal3Pool, type PoolReference } from '../../../domain/data/pools.ts';
import { render } from '../../../domain/data/render.ts';
import type { ObjectRef } from '../../../domain/entity/object-ref.ts';
import { same } from '../../../domain/same.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { gather } from '../../../kube/gather.ts';
import { listInstalled } from '../../../kube/installed.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { assembleData } from '../../../kube/objects/data-objects.ts';
import { type Metadata, readMetadata } from '../../../kube/objects/metadata.ts';
import { type Metal3DataRead, readMetal3Data } from '../../../kube/objects/metal3data.ts';
import { collectionPath, objectPath, type Resource, secretCollection } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { createYamlWriter } from '../../documents/threads.ts';
import { stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';
import { dropFinalizer } from '../secrets.ts';

export interface DataDeps {
  readonly kube: Kube;
  /** IPClaims are named after hosts, so that a pool can reserve an address for each host. */
  readonly namesClaimsAfterHosts: boolean;
}

export interface DataActivities {
  /**
   * Creates a claim for each pool; existing ones are not changed. Fails with type `Stale` unless the template asks for
   * addresses from these pools.
   */
  claimAddresses(order: { readonly data: ObjectRef; readonly pools: readonly PoolReference[] }): Promise<DataAnswer>;
  /**
   * Removes our finalizer from IPClaims that are being deleted and whose Metal3Data is gone. Fails with type `InUse`,
   * without a retry, when the Metal3Data of one of them exists.
   */
  letClaimsGo(order: { readonly data: ObjectRef; readonly claims: readonly string[] }): Promise<DataAnswer>;
  /** Writes the missing Secrets from the current inputs. Rendered texts are written to Secrets only. */
  renderData(order: { readonly data: ObjectRef }): Promise<DataAnswer>;
  /** Deletes all address claims of a Metal3Data that is being deleted, or gone. */
  releaseAddresses(order: { readonly data: ObjectRef }): Promise<DataAnswer>;
}

/** A refusal of the API server ends an activity without a retry. */
export const createDataActivities = (deps: DataDeps): DataActivities => {
  const activities = attempts(deps);
  return {
    claimAddresses: (order) => refusing(() => activities.claimAddresses(order)),
    letClaimsGo: (order) => refusing(() => activities.letClaimsGo(order)),
    renderData: (order) => refusing(() => activities.renderData(order)),
    releaseAddresses: (order) => refusing(() => activities.releaseAddresses(order)),
  };
};

const attempts = ({ kube, namesClaimsAfterHosts }: DataDeps): DataActivities => ({
  async claimAddresses({ data: ref, pools }) {
    const data = await readOurs(kube, ref);
    if (data === undefined) return 'changed';
    const identity = identityOf(data);
    const { host: named, asked } = await gather(kube, (find) => {
      const { objects } = assembleData(data, find);
      return { host: objects.host?.name, asked: askedPools(objects) };
    });
    const askedByName = new Map(asked.map((pool) => [pool.name, pool]));
    const other = pools.find((pool) => !same(askedByName.get(pool.name), pool));
    if (other !== undefined) {
      throw stale(`claim addresses: Metal3Data ${ref.name}: its template does not ask for one from ${other.name}`);
    }
    const host = namesClaimsAfterHosts ? named : undefined;
    for (const pool of pools) {
      if (isMetal3Pool(pool)) await create(kube, KINDS.ipClaim, ipClaimManifest(identity, pool.name, host));
      else await create(kube, KINDS.ipAddressClaim, ipAddressClaimManifest(identity, pool));
    }
    return 'done';
  },

  async letClaimsGo({ data, claims }) {
    const used: string[] = [];
    for (const name of claims) {
      const path = objectPath(KINDS.ipClaim, { namespace: data.namespace, name });
      const found = await kube.find(path);
      if (found === undefined) continue;
      const metadata = readMetadata(found);
      if (metadata.deletionTimestamp === undefined) continue;
      if (await hasData(kube, metadata)) used.push(name);
      else await dropFinalizer(kube, path, DATA_FINALIZER, metadata.uid);
    }
    if (used.length === 0) return 'done';
    const message = `let claims go: the Metal3Data of IPClaim ${used.join(', ')} exists`;
    throw ApplicationFailure.create({ type: 'InUse', nonRetryable: true, message });
  },

  async renderData({ data: ref }) {
    const data = await readOurs(kube, ref);
    if (data === undefined) return 'changed';
    const { hindrance, inputs, cluster } = await gather(kube, (find) => {
      const { objects, cluster } = assembleData(data, find);
      return { ...assess(objects), cluster };
    });
    const result = inputs && render(inputs);
    if (hindrance !== undefined || (result !== undefined && 'problem' in result)) return 'changed';
    for (const { key, name, content } of result?.rendered ?? []) {
      const text = await yamlOf(ref.namespace, name, content);
      const manifest = secretManifest({ data: identityOf(data), name, cluster, key, text });
      await post(kube, secretCollection(ref.namespace), manifest);
    }
    return 'done';
  },

  async releaseAddresses({ data }) {
    if ((await readOurs(kube, data)) !== undefined) return 'changed';
    for (const kind of [KINDS.ipClaim, KINDS.ipAddressClaim]) {
      for (const { name, uid } of await ownedBy(kube, kind, data)) {
        const path = objectPath(kind, { namespace: data.namespace, name });
        await dropFinalizer(kube, path, DATA_FINALIZER, uid);
        await remove(kube, path, uid);
      }
    }
    return 'done';
  },
});

/** One for the process: its threads end when they have nothing to do. */
const writeInThread = createYamlWriter();

async function yamlOf(namespace: string, secret: string, content: ContentMap): Promise<string> {
  const written = await writeInThread(namespace, JSON.stringify(content));
  if (written.kind === 'yaml') return written.text;
  throw new Error(`write the YAML of Secret ${secret}: ${written.problem.reason}`);
}

/** True while the Metal3Data that made a claim exists: it releases the claim itself. */
async function hasData(kube: Kube, { namespace, ownerReferences }: Metadata): Promise<boolean> {
  for (const { kind, name, uid } of ownerReferences) {
    const found = kind === KINDS.data.kind ? await kube.find(objectPath(KINDS.data, { namespace, name })) : undefined;
    if (found !== undefined && readMetadata(found).uid === uid) return true;
  }
  return false;
}

/** undefined when it is gone, was recreated, or is being deleted. */
async function readOurs(kube: Kube, { namespace, name, uid }: ObjectRef): Promise<Metal3DataRead | undefined> {
  const found = await kube.find(objectPath(KINDS.data, { namespace, name }));
  if (found === undefined) return undefined;
  const data = readMetal3Data(found);
  return data.metadata.uid === uid && data.metadata.deletionTimestamp === undefined ? data : undefined;
}

const identityOf = ({ metadata: { namespace, name, uid, labels } }: Metal3DataRead): DataIdentity => ({
  namespace,
  name,
  uid,
  labels,
});

const create = (
  kube: Kube,
  kind: Resource,
  manifest: { readonly metadata: { readonly namespace: string } },
): Promise<void> => post(kube, collectionPath(kind, manifest.metadata.namespace), manifest);

/** An existing object is left unchanged. */
async function post(kube: Kube, path: string, body: object): Promise<void> {
  try {
    await kube.request({ method: 'POST', path, body });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/**
 * The owned objects; none when the kind is not installed. Name and uid must both fit: `releaseAddresses` looks for
 * the Metal3Data by its name, so with a wrong name one that exists would seem to be gone.
 */
const ownedBy = async (kube: Kube, kind: Resource, { namespace, ...data }: ObjectRef): Promise<readonly Metadata[]> =>
  (await listInstalled(kube, kind, namespace))
    .map(readMetadata)
    .filter(({ ownerReferences }) => ownerReferences.some(({ name, uid }) => name === data.name && uid === data.uid));
