import { z } from 'zod';
import { SECRET_LABEL } from '../../api/baremetalhost/values.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import { MARKS } from '../../domain/migration/marks.ts';
import { type Cleaned, type Cleaning, cleaned } from '../../domain/migration/take-off.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import type { Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { ifInstalled } from '../../kube/installed.ts';
import { type FollowedKind, isSameKind, KINDS, kindInApi, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { listAll } from '../../kube/list-all.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { collectionPath, crdOf, objectPath } from '../../kube/paths.ts';
import { METADATA_ONLY } from '../../kube/reflector.ts';
import { unlessGone } from '../../kube/remove.ts';
import type { Installation } from './installation.ts';

/** An object with something of Temper on it. */
export interface ToClean {
  readonly kind: FollowedKind;
  readonly object: unknown;
  readonly name: string;
  /** It is being deleted, and a finalizer is taken off: it may be gone by that. */
  readonly isFreed: boolean;
  readonly cleaning: Cleaning;
}

/** Of Secrets only the metadata is read, and only of those with our label. */
const isSecret = (kind: FollowedKind): boolean => kind.plural === KINDS.secret.plural;
const nameInMarks = (kind: FollowedKind): string => (isSecret(kind) ? kind.plural : crdOf(kind));
const CLEANED: readonly FollowedKind[] = Object.values(KINDS).filter((kind) => nameInMarks(kind) in MARKS);

/** All objects that this Temper has marked, and no other Temper looks after. */
export async function objectsToClean(
  kube: Kube,
  going: Installation,
  staying: readonly Installation[],
  left: Cleaning['left'],
): Promise<readonly ToClean[]> {
  const found: ToClean[] = [];
  for (const kind of CLEANED) {
    for (const namespace of going.watched.length === 0 ? [undefined] : going.watched) {
      const path = collectionPath(kind, namespace);
      const selected = isSecret(kind)
        ? { accept: METADATA_ONLY.list, labelSelector: `${SECRET_LABEL.key}=${SECRET_LABEL.value}` }
        : {};
      const objects = (await ifInstalled(kube, kind, listAll(kube, path, selected))) ?? [];
      found.push(...objects.flatMap((object) => toClean(kind, object, going, staying, left)));
    }
  }
  return found;
}

function toClean(
  kind: FollowedKind,
  object: unknown,
  { parts }: Installation,
  staying: readonly Installation[],
  left: Cleaning['left'],
): readonly ToClean[] {
  const { metadata } = readObject(object);
  const { namespace } = metadata;
  const isFree = (part: Cleaning['parts'][number]): boolean =>
    !staying.some(
      (other) => other.parts.includes(part) && (other.watched.length === 0 || other.watched.includes(namespace)),
    );
  const cleaning = { parts: parts.filter(isFree), left };
  const own = partOf(kind);
  if (own !== undefined && !cleaning.parts.includes(own)) return [];
  const taken = takenOff(kind, object, cleaning);
  if (taken === undefined) return [];
  const name = `${kindInApi(kind)} ${namespace}/${metadata.name}`;
  const isFreed = metadata.deletionTimestamp !== undefined && taken.finalizers !== undefined;
  return [{ kind, object, name, isFreed, cleaning }];
}

/** Machines of the Machine API belong to hosts. undefined: objects of others, on which parts have finalizers. */
const partOf = (kind: FollowedKind): Cleaning['parts'][number] | undefined =>
  MACHINE_API_MACHINES.some((each) => isSameKind(each, kind))
    ? 'hosts'
    : OPERATORS.find(({ group }) => group === groupOf(kind.apiVersion))?.part;

function takenOff(
  kind: FollowedKind,
  object: unknown,
  cleaning: Cleaning,
): Cleaned<{ readonly type: string }> | undefined {
  const { metadata, status } = readObject(object);
  const { finalizers, annotations } = metadata;
  return cleaned(nameInMarks(kind), { finalizers, annotations, conditions: conditionsIn(status) }, cleaning);
}

const conditions = z.array(z.looseObject({ type: z.string() })).catch([]);
const conditionsIn = (status: Readonly<Record<string, unknown>>): readonly { readonly type: string }[] =>
  conditions.parse(status['conditions']);

/** Removes what is of Temper. An object that is being deleted may be gone by that. */
export async function clean(kube: Kube, { kind, object: listed, cleaning }: ToClean): Promise<void> {
  const path = objectPath(kind, readObject(listed).metadata);
  const accept = isSecret(kind) ? { accept: METADATA_ONLY.watch } : {};
  // The answer to a patch of a Secret would have its content.
  const patch = (to: string, body: object): Promise<unknown> =>
    isSecret(kind)
      ? kube.request({ method: 'PATCH', path: to, contentType: 'application/merge-patch+json', body, ...accept })
      : kube.patch(to, body);
  await whileContended(async (attempt) => {
    const object = attempt === 1 ? listed : await kube.request({ path, ...accept });
    const taken = takenOff(kind, object, cleaning);
    if (taken === undefined) return;
    const { finalizers, annotations, conditions: kept } = taken;
    const { uid, resourceVersion } = readObject(object).metadata;
    let version = resourceVersion;
    // First, because without its finalizer the object may be gone.
    if (kept !== undefined) {
      const after = await patch(`${path}/status`, { metadata: { uid, resourceVersion }, status: { conditions: kept } });
      version = readObject(after).metadata.resourceVersion;
    }
    if (finalizers === undefined && annotations === undefined) return;
    const metadata = {
      uid,
      resourceVersion: version,
      ...(finalizers && { finalizers }),
      ...(annotations && { annotations }),
    };
    await patch(path, { metadata });
  }).catch(unlessGone);
}
