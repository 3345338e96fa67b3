import { z } from 'zod';
import { FINALIZERS, SECRET_LABEL } from '../../api/baremetalhost/values.ts';
import { objectMeta } from '../../api/meta/object-meta.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import { isNotFound, type Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { isObjectName, type Named, secretPath } from '../../kube/paths.ts';

const secret = z.object({
  metadata: objectMeta.extend({ resourceVersion: z.string() }),
  type: z.string().default('Opaque'),
  data: z.record(z.string(), z.string()).nullish(),
});
export type Secret = z.infer<typeof secret>;

/** Straight from the API server: a cached Secret may be one that was corrected a moment ago. No Secret has an impossible name. */
export async function readSecret(kube: Kube, name: Named): Promise<Secret | undefined> {
  if (!isObjectName(name.name)) return undefined;
  const found = await kube.find(secretPath(name));
  return found === undefined ? undefined : secret.parse(found);
}

/** undefined without such a key. */
export function textOf({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}

/** An owner that is not the controller: several may share a Secret. */
export interface SecretOwner {
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
  /** Kept until the host lets it go. */
  readonly hold: boolean;
  /** Collected with it. */
  readonly owner?: SecretOwner;
}

/** Labels a Secret as one we read, and marks it as claimed. One patch, none if it is so already. */
export const markSecret = (kube: Kube, found: Secret, claim: Claim): Promise<Secret> =>
  whileContended(async (attempt) => {
    const current = attempt === 1 ? found : await readSecret(kube, found.metadata);
    if (current === undefined) {
      throw new Error(`Secret ${found.metadata.namespace}/${found.metadata.name} vanished while it was claimed`);
    }
    const patch = claimOf(current, claim);
    if (patch === undefined) return current;
    const { resourceVersion } = current.metadata;
    return secret.parse(await kube.patch(secretPath(current.metadata), { metadata: { ...patch, resourceVersion } }));
  });

function claimOf({ metadata }: Secret, { hold, owner }: Claim): object | undefined {
  const { labels = {}, finalizers = [], ownerReferences = [], deletionTimestamp } = metadata;
  const isLabelled = labels[SECRET_LABEL.key] === SECRET_LABEL.value;
  const label = isLabelled ? {} : { labels: { [SECRET_LABEL.key]: SECRET_LABEL.value } };
  // What is being deleted takes no new finalizer.
  const isKept = !hold || finalizers.includes(FINALIZERS.secret) || deletionTimestamp !== undefined;
  const keep = isKept ? {} : { finalizers: [...finalizers, FINALIZERS.secret] };
  const isOwned = ownerReferences.some(({ uid, controller }) => uid === owner?.uid && controller !== true);
  const own =
    owner === undefined || isOwned
      ? {}
      : { ownerReferences: [...ownerReferences.filter(({ uid }) => uid !== owner.uid), owner] };
  const patch = { ...label, ...keep, ...own };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Takes a finalizer off whatever is at this path; one that is gone, or never had it, is left alone. */
export const dropFinalizer = (kube: Kube, path: string, finalizer: string): Promise<void> =>
  whileContended(async () => {
    const found = await kube.find(path);
    if (found === undefined) return;
    const { finalizers = [], resourceVersion } = z.object({ metadata: objectMeta }).parse(found).metadata;
    if (!finalizers.includes(finalizer)) return;
    const kept = finalizers.filter((each) => each !== finalizer);
    try {
      await kube.patch(path, { metadata: { resourceVersion, finalizers: kept } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  });
