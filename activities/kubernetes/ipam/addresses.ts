import PQueue from 'p-queue';
import { CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import type { ObjectRef } from '../../../domain/entity/object-ref.ts';
import type { AddressTaskAnswer, PoolAction } from '../../../domain/ip-pool/action.ts';
import { type Gives, givenBy } from '../../../domain/ip-pool/allocate.ts';
import { type AddressTask, numberOf } from '../../../domain/ip-pool/decide.ts';
import { addressManifest } from '../../../domain/ip-pool/manifests.ts';
import { addressName, NOT_CREATED, NOT_DELETED, NOT_READ, PROVIDER_LABEL } from '../../../domain/ip-pool/names.ts';
import type { ClaimRef } from '../../../domain/ip-pool/snapshot.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { findInstalled, listInstalled } from '../../../kube/installed.ts';
import { KINDS } from '../../../kube/kinds.ts';
import {
  isLinkedTo,
  type PoolAddressRead,
  type PoolClaim,
  readIpPool,
  readPoolAddress,
} from '../../../kube/objects/ip-pool.ts';
import { ownerOf, readMetadata } from '../../../kube/objects/metadata.ts';
import { collectionPath, isObjectName, type Named, objectPath } from '../../../kube/paths.ts';
import { stale } from '../machine/machine-now.ts';
import { concernsRequest, refusedTask, refusing } from '../refusal.ts';
import {
  ADDRESS_KINDS,
  dropOurs,
  findAddressClaim,
  holdAddressClaim,
  removeAddress,
  showAddress,
  showRefusal,
} from './claims.ts';

type Linking = Extract<PoolAction, { readonly name: 'link' }>;
type Settling = Extract<PoolAction, { readonly name: 'settle' }>;

export interface AddressActivities {
  /**
   * Gives a pool the labels of its Cluster, and names it as an owner. Idempotent. Fails with type `Stale` unless it is
   * the Cluster in the spec of the pool.
   */
  linkPool(order: Linking): Promise<'linked'>;
  /**
   * Performs the tasks for the claims of a pool, a few at a time. Idempotent; a refusal or an error of the server
   * affects only one claim. A claim gets only an address that the object of the pool gives it now.
   */
  settleAddresses(order: Settling): Promise<readonly AddressTaskAnswer[]>;
}

const AT_A_TIME = 16;
const givesNothing: Gives = () => false;
const DONE: AddressTaskAnswer = { kind: 'done' };
const NEEDLESS: AddressTaskAnswer = { kind: 'needless' };
const TAKEN: AddressTaskAnswer = { kind: 'taken' };

export const createAddressActivities = ({ kube }: { readonly kube: Kube }): AddressActivities => ({
  linkPool: (order) => refusing(() => link(kube, order), concernsRequest),

  async settleAddresses(order) {
    const queue = new PQueue({ concurrency: AT_A_TIME });
    const isGiving = order.tasks.some(({ kind }) => kind === 'give');
    const gives = isGiving ? await givenNow(kube, order) : givesNothing;
    return queue.addAll(
      order.tasks.map((task) => () => whileContended(() => settle(kube, order, task, gives)).catch(refusedTask)),
    );
  },
});

const link = (kube: Kube, { pool, cluster, owner }: Linking): Promise<'linked'> =>
  whileContended<'linked'>(async () => {
    const path = objectPath(KINDS.ipPool, pool);
    const found = await kube.find(path);
    if (found === undefined) return 'linked';
    const meta = readMetadata(found);
    if (meta.uid !== pool.uid || isLinkedTo(meta, cluster, owner !== undefined)) return 'linked';
    if (readIpPool(found).data?.spec.clusterName !== cluster)
      throw stale(`link a pool: IPPool ${pool.name}: its spec does not name Cluster ${cluster}`);
    const { apiVersion, kind } = KINDS.cluster;
    const isOwned = owner === undefined || ownerOf(meta, KINDS.cluster, cluster) !== undefined;
    // An owner that does not exist would have Kubernetes delete the pool.
    if (!isOwned) await mustBeCluster(kube, { namespace: pool.namespace, name: cluster }, owner.uid);
    const owners = isOwned
      ? {}
      : {
          ownerReferences: [
            ...meta.ownerReferences,
            { apiVersion, kind, name: cluster, uid: owner.uid, controller: false },
          ],
        };
    const { resourceVersion } = meta;
    await kube.patch(path, { metadata: { resourceVersion, labels: labelsOf(cluster), ...owners } });
    return 'linked';
  });

async function mustBeCluster(kube: Kube, name: Named, uid: string): Promise<void> {
  const found = await kube.find(objectPath(KINDS.cluster, name));
  if (found === undefined || readMetadata(found).uid !== uid)
    throw stale(`link a pool: Cluster ${name.name} does not exist any more`);
}

const labelsOf = (cluster: string): Record<string, string> => ({
  [CLUSTER_LABELS.clusterName]: cluster,
  [PROVIDER_LABEL.key]: PROVIDER_LABEL.value,
});

/** What the pool gives, by its object; nothing when that is gone, or names addresses otherwise. */
async function givenNow(kube: Kube, { pool, namePrefix }: Settling): Promise<Gives> {
  const found = await kube.find(objectPath(KINDS.ipPool, pool));
  const { data } = found === undefined ? {} : readIpPool(found);
  if (data?.metadata.uid !== pool.uid || data.spec.namePrefix !== namePrefix) return givesNothing;
  const { preAllocations = {}, ...spec } = data.spec;
  // A pool that is being deleted keeps nothing for claims that may come.
  return givenBy({ spec, preAllocations: data.metadata.deletionTimestamp === undefined ? preAllocations : {} });
}

function settle(kube: Kube, order: Settling, task: AddressTask, gives: Gives): Promise<AddressTaskAnswer> {
  switch (task.kind) {
    case 'give':
      return give(kube, order, task, gives);
    case 'show':
      return show(kube, order.pool, task);
    case 'release':
      return release(kube, order.pool, task);
    case 'refuse':
      return refuse(kube, order.pool, task);
    case 'let go':
      return letGo(kube, order.pool, task);
  }
}

type Of<Kind extends AddressTask['kind']> = Extract<AddressTask, { readonly kind: Kind }>;

/** Changes in the meantime are left for the next decision. */
async function give(
  kube: Kube,
  { pool, namePrefix }: Settling,
  { claim: ref, allocation }: Of<'give'>,
  gives: Gives,
): Promise<AddressTaskAnswer> {
  let isGiven = true;
  const claim = await holdAddressClaim(kube, pool, ref, (facts) => {
    isGiven = facts.shown !== undefined || gives(facts, allocation);
    return isGiven;
  });
  if (!isGiven) return { kind: 'refused', message: `IPPool ${pool.name} does not give it ${allocation.address} now` };
  if (claim === undefined || claim.facts.shown !== undefined) return NEEDLESS;
  const name = addressName(namePrefix, numberOf(allocation));
  const { address } = ADDRESS_KINDS[ref.kind];
  const body = addressManifest({ name, pool, claim: { ...ref, labels: claim.metadata.labels }, allocation });
  try {
    await kube.request({ method: 'POST', path: collectionPath(address, pool.namespace), body });
  } catch (error) {
    if (!isAlreadyExists(error)) {
      const refusal = refusedTask(error);
      await showRefusal(kube, claim, 'AllocationFailed', NOT_CREATED);
      return refusal;
    }
    const existing = await findAddress(kube, pool.namespace, ref.kind, name);
    if (existing === undefined || !isFor(existing, pool, ref)) return TAKEN;
  }
  if (await givesWay(kube, pool, ref, name)) return TAKEN;
  await showAddress(kube, claim, name);
  return DONE;
}

const findAddress = async (
  kube: Kube,
  namespace: string,
  kind: ClaimRef['kind'],
  name: string,
): Promise<PoolAddressRead | undefined> => {
  // The kinds of Cluster API may not be installed.
  const found = await findInstalled(kube, ADDRESS_KINDS[kind].address, { namespace, name });
  return found === undefined ? undefined : readPoolAddress[kind](found);
};

const isOf = ({ pool, facts }: PoolAddressRead, { name }: ObjectRef, claim: string): boolean =>
  pool === name && facts.claim === claim;

const isFor = (address: PoolAddressRead, pool: ObjectRef, { name }: ClaimRef): boolean =>
  isOf(address, pool, name) && !address.facts.deleting;

/**
 * IPAddresses of the two API groups may have the same name. An activity that finds one of the other group under its
 * name deletes the one that it has just created before a claim shows it, so at most one claim gets the address. It
 * looks even if the run knows only one kind: a restored etcd may have others again.
 */
async function givesWay(kube: Kube, pool: ObjectRef, { kind }: ClaimRef, name: string): Promise<boolean> {
  const other = kind === 'IPClaim' ? 'IPAddressClaim' : 'IPClaim';
  if ((await findAddress(kube, pool.namespace, other, name))?.pool !== pool.name) return false;
  const own = await findAddress(kube, pool.namespace, kind, name);
  if (own !== undefined) await removeAddress(kube, kind, own);
  return true;
}

async function show(kube: Kube, pool: ObjectRef, { claim: ref, name }: Of<'show'>): Promise<AddressTaskAnswer> {
  const claim = await holdAddressClaim(kube, pool, ref);
  if (claim === undefined || claim.facts.shown !== undefined) return NEEDLESS;
  const existing = await findAddress(kube, pool.namespace, ref.kind, name);
  if (existing === undefined || !isFor(existing, pool, ref))
    return { kind: 'refused', message: `IPAddress ${name} is gone` };
  if (await givesWay(kube, pool, ref, name)) return { kind: 'refused', message: `IPAddress ${name} is of two claims` };
  await showAddress(kube, claim, name);
  return DONE;
}

async function release(kube: Kube, pool: ObjectRef, { claim: ref, names }: Of<'release'>): Promise<AddressTaskAnswer> {
  const { namespace } = pool;
  const { uid, ...named } = ref;
  const claim = await findAddressClaim(kube, namespace, named);
  const isLeaving = claim === undefined || (claim.metadata.uid === uid && claim.facts.deleting);
  // An etcd that was restored from a backup may have the claim, or an earlier one of its name, as it was before the
  // deletion.
  if (!isLeaving) return { kind: 'refused', message: 'is not being deleted' };
  if (claim?.facts.heldByOthers) return { kind: 'refused', message: 'has finalizers of others again' };
  let problem: string = NOT_READ;
  try {
    for (const name of await namesOf(kube, pool, ref, claim, names)) {
      problem = NOT_READ;
      const address = await findAddress(kube, namespace, ref.kind, name);
      if (address === undefined || !isOf(address, pool, ref.name)) continue;
      problem = NOT_DELETED;
      await removeAddress(kube, ref.kind, address);
    }
  } catch (error) {
    const refusal = refusedTask(error);
    if (claim !== undefined) await showRefusal(kube, claim, 'AllocationFailed', problem);
    return refusal;
  }
  if (claim !== undefined) await dropOurs(kube, claim);
  return DONE;
}

/**
 * The names of the claim's IPAddresses. A held claim that shows none may have one that is not in its status yet: then
 * all are listed.
 */
async function namesOf(
  kube: Kube,
  pool: ObjectRef,
  { kind, name: claimName }: ClaimRef,
  claim: PoolClaim | undefined,
  names: readonly string[],
): Promise<readonly string[]> {
  const shown = claim?.facts.shown;
  const known = [...new Set([...names, ...(shown === undefined || !isObjectName(shown) ? [] : [shown])])];
  if (known.length > 0 || claim === undefined) return known;
  const all = await listInstalled(kube, ADDRESS_KINDS[kind].address, pool.namespace);
  return all.flatMap((object) => {
    const address = readPoolAddress[kind](object);
    return address !== undefined && isOf(address, pool, claimName) ? [address.facts.name] : [];
  });
}

async function refuse(
  kube: Kube,
  pool: ObjectRef,
  { claim: ref, reason, message }: Of<'refuse'>,
): Promise<AddressTaskAnswer> {
  const claim = await findAddressClaim(kube, pool.namespace, ref);
  const isOurs = claim?.pool === pool.name && !claim.facts.deleting && claim.facts.shown === undefined;
  if (!isOurs) return NEEDLESS;
  await showRefusal(kube, claim, reason, message);
  return DONE;
}

async function letGo(
  kube: Kube,
  pool: ObjectRef,
  { loose: { kind, name: address } }: Of<'let go'>,
): Promise<AddressTaskAnswer> {
  const { namespace } = pool;
  const found = await findAddress(kube, namespace, kind, address);
  if (found === undefined || found.pool !== pool.name) return DONE;
  const name = found.facts.claim;
  const claim =
    name === '' || !isObjectName(name) ? undefined : await findAddressClaim(kube, namespace, { kind, name });
  const shown = claim?.facts.shown;
  const isUsed = found.facts.deleting ? shown === address : shown === undefined || shown === address;
  if (isUsed) return DONE;
  await removeAddress(kube, kind, found);
  return DONE;
}
