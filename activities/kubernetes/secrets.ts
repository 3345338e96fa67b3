import { FINALIZERS, SECRET_LABEL } from '../../api/baremetalhost/values.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import type { Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hostsIn, readSecretObject, type Secret, textOf } from '../../kube/objects/secret.ts';
import { oneAtATime } from '../../kube/one-at-a-time.ts';
import { hostPath, isObjectName, type Named, secretPath } from '../../kube/paths.ts';
import { unlessGone } from '../../kube/remove.ts';
import { unlessForbidden } from './refusal.ts';

/** Read from the API server: a cached Secret may be outdated. An invalid name has no Secret. */
export async function readSecret(kube: Kube, name: Named): Promise<Secret | undefined> {
  if (!isObjectName(name.name)) return undefined;
  const found = await kube.find(secretPath(name));
  return found === undefined ? undefined : readSecretObject(found);
}

/** An owner that is not the controller: several hosts may share a Secret. */
interface SecretOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export const hostOwner = ({ name, uid }: HostRef): SecretOwner => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  name,
  uid,
});

interface Claim {
  /** Adds our finalizer, until the host releases the Secret. */
  readonly hold: boolean;
  /** Adds an owner reference to a Secret that looks like credentials of a BMC. */
  readonly owner?: SecretOwner;
}

/** Types of Secrets that hold what people wrote. Those of other types belong to the programs that use them. */
const TYPES_TO_OWN: readonly string[] = ['Opaque', 'kubernetes.io/basic-auth'];

/**
 * True for a Secret that a host may own. Kubernetes deletes a Secret with its last owner, and whoever may write a host
 * can name any Secret of its namespace: a token, a certificate or user data must not be deleted with the host.
 */
const mayBeOwned = (secret: Secret): boolean =>
  TYPES_TO_OWN.includes(secret.type) &&
  textOf(secret, 'username') !== undefined &&
  textOf(secret, 'password') !== undefined;

export interface MarkedSecret {
  readonly secret: Secret;
  /** Message of a policy that forbids the marks: the Secret is read without them. */
  readonly refusal?: string;
}

/**
 * Labels a Secret as one that we read, and adds the given marks. One patch, none when nothing changes. A policy that
 * forbids it stops nothing. Once the signal is aborted, nothing is written: the host may be released by then.
 */
export async function markSecret(kube: Kube, found: Secret, claim: Claim, signal?: AbortSignal): Promise<MarkedSecret> {
  let secret = found;
  const refusal = await unlessForbidden(async () => {
    secret = await marked(kube, found, claim, signal);
  });
  return { secret, ...(refusal !== undefined && { refusal }) };
}

/** Hosts that share a Secret mark it one after the other. */
const marked = (kube: Kube, found: Secret, claim: Claim, signal?: AbortSignal): Promise<Secret> =>
  oneAtATime(
    kube,
    secretPath(found.metadata),
    (hasWaited) =>
      whileContended(async (attempt) => {
        const current = attempt === 1 && !hasWaited ? found : await readSecret(kube, found.metadata);
        if (current === undefined) {
          throw new Error(
            `Secret ${found.metadata.namespace}/${found.metadata.name} was deleted while it was being marked`,
          );
        }
        const patch = claimOf(current, claim);
        if (patch === undefined) return current;
        const { resourceVersion } = current.metadata;
        signal?.throwIfAborted();
        return readSecretObject(
          await kube.patch(secretPath(current.metadata), { metadata: { ...patch, resourceVersion } }),
        );
      }),
    signal,
  );

function claimOf(secret: Secret, { hold, owner }: Claim): object | undefined {
  const { metadata } = secret;
  const { labels, finalizers, ownerReferences, deletionTimestamp } = metadata;
  const isLabelled = labels[SECRET_LABEL.key] === SECRET_LABEL.value;
  const label = isLabelled ? {} : { labels: { [SECRET_LABEL.key]: SECRET_LABEL.value } };
  // A Secret that is being deleted accepts no new finalizer.
  const isKept = !hold || finalizers.includes(FINALIZERS.secret) || deletionTimestamp !== undefined;
  const keep = isKept ? {} : { finalizers: [...finalizers, FINALIZERS.secret] };
  const isOwned = ownerReferences.some(({ uid, controller }) => uid === owner?.uid && controller !== true);
  const own =
    owner === undefined || isOwned || !mayBeOwned(secret)
      ? {}
      : { ownerReferences: [...ownerReferences.filter(({ uid }) => uid !== owner.uid), owner] };
  const patch = { ...label, ...keep, ...own };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * Removes our finalizer from a Secret whose only owner among the hosts is this one. Of any other Secret the bridge
 * decides, which knows all hosts of the namespace. Once the signal is aborted, nothing is written.
 */
export const releaseSecret = (
  kube: Kube,
  { namespace, uid }: HostRef,
  name: string,
  signal?: AbortSignal,
): Promise<void> => {
  const path = secretPath({ namespace, name });
  const release = async (): Promise<void> => {
    const found = await kube.find(path);
    if (found === undefined) return;
    const { finalizers, ownerReferences, resourceVersion } = readMetadata(found);
    const owners = hostsIn(ownerReferences);
    const others = owners.filter((owner) => owner.uid !== uid);
    if (!finalizers.includes(FINALIZERS.secret) || owners.length === others.length) return;
    const areThere = await Promise.all(others.map((other) => isThere(kube, { namespace, ...other })));
    if (areThere.includes(true)) return;
    const kept = finalizers.filter((each) => each !== FINALIZERS.secret);
    signal?.throwIfAborted();
    await kube.patch(path, { metadata: { resourceVersion, finalizers: kept } }).catch(unlessGone);
  };
  return oneAtATime(kube, path, () => whileContended(release), signal);
};

async function isThere(kube: Kube, { namespace, name, uid }: HostRef): Promise<boolean> {
  const found = isObjectName(name) ? await kube.find(hostPath({ namespace, name })) : undefined;
  return found !== undefined && readMetadata(found).uid === uid;
}

/**
 * Removes a finalizer from the object at this path; an object that is gone or does not have it is ignored. `uid`: of
 * the object for which that was decided; another one of its name is ignored, too.
 */
export const dropFinalizer = (kube: Kube, path: string, finalizer: string, uid?: string): Promise<void> =>
  whileContended(async () => {
    const found = await kube.find(path);
    if (found === undefined) return;
    const { finalizers, resourceVersion, uid: now } = readMetadata(found);
    if (!finalizers.includes(finalizer) || (uid !== undefined && uid !== now)) return;
    const kept = finalizers.filter((each) => each !== finalizer);
    await kube.patch(path, { metadata: { resourceVersion, finalizers: kept } }).catch(unlessGone);
  });
