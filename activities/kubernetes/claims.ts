import type { Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import type { Metadata } from '../../kube/objects/metadata.ts';
import { type Named, objectPath, type Resource } from '../../kube/paths.ts';
import { unlessGone } from '../../kube/remove.ts';
import { dropFinalizer } from './secrets.ts';

/** A kind of claims. A claim has no workflow: the activities that fulfil it hold it and write its status. */
export interface HeldKind<Claim> {
  readonly resource: Resource;
  readonly finalizer: string;
  readonly read: (object: unknown) => Claim;
}

interface AnyClaim {
  readonly metadata: Metadata;
}

/** undefined when it is gone or, with a uid, has been recreated. */
export async function findClaim<Claim extends AnyClaim>(
  kube: Kube,
  { resource, read }: HeldKind<Claim>,
  { uid, ...named }: Named & { readonly uid?: string },
): Promise<Claim | undefined> {
  const found = await kube.find(objectPath(resource, named));
  const claim = found === undefined ? undefined : read(found);
  return uid === undefined || claim?.metadata.uid === uid ? claim : undefined;
}

/**
 * Adds the finalizer to the claim, so that it exists until what it was given is released; undefined when it is gone, is
 * being deleted, or is not ours.
 */
export const holdClaim = <Claim extends AnyClaim>(
  kube: Kube,
  kind: HeldKind<Claim>,
  ref: Named & { readonly uid: string },
  isOurs: (claim: Claim) => boolean,
): Promise<Claim | undefined> =>
  whileContended(async () => {
    const claim = await findClaim(kube, kind, ref);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || !isOurs(claim)) return undefined;
    const { finalizers, resourceVersion } = claim.metadata;
    if (finalizers.includes(kind.finalizer)) return claim;
    const metadata = { resourceVersion, finalizers: [...finalizers, kind.finalizer] };
    return kube.patch(objectPath(kind.resource, ref), { metadata }).then(kind.read, unlessGone);
  });

export const dropClaim = (kube: Kube, { resource, finalizer }: HeldKind<AnyClaim>, claim: AnyClaim): Promise<void> =>
  dropFinalizer(kube, objectPath(resource, claim.metadata), finalizer, claim.metadata.uid);

/** Shows the status on the claim as it was read: throws a conflict when it was changed or recreated since. */
export async function showOnClaim(
  kube: Kube,
  { resource }: HeldKind<AnyClaim>,
  { metadata: { namespace, name, uid, resourceVersion } }: AnyClaim,
  status: object,
): Promise<void> {
  const body = { metadata: { uid, resourceVersion }, status };
  await kube.patch(`${objectPath(resource, { namespace, name })}/status`, body).catch(unlessGone);
}
