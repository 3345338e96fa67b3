import { settle, settleLegacy, toSeconds } from '../../domain/entity/conditions.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { isConflict, isNotFound, type Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { isObject, type Json, mergePatch } from '../../kube/merge-patch.ts';
import { objectPath } from '../../kube/paths.ts';
import { isOutdated, type Origin } from '../ledger.ts';
import { createSerializer } from '../serialize.ts';
import type { Binding } from './binding.ts';
import { conditionsOf, legacyConditionsOf, readObject, type Writable } from './object.ts';

export type PublishAnswer =
  | { readonly kind: 'published' }
  /** Something newer was written, or the name belongs to another object by now. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'gone' };

/** What was last written for a uid; kept in memory only and rebuilt by asking the workflows. */
export interface WrittenEntity {
  readonly run: string;
  readonly revision: number;
  readonly at: number;
  readonly resourceVersion: string;
  readonly status: Json;
  /** Our finalizer is to be on it. */
  readonly held: boolean;
  /** We let it go: whatever happens to it now, a workflow started for it would find nothing. */
  readonly letGo: boolean;
}

export interface EntityLedger {
  get(uid: string): WrittenEntity | undefined;
  set(uid: string, written: WrittenEntity): unknown;
  delete(uid: string): unknown;
}

export interface WriteEntityDeps {
  readonly kube: Kube;
  readonly bindings: readonly Binding[];
  readonly ledger: EntityLedger;
  /** ms since the epoch. */
  readonly now: () => number;
}

export type PublishEntity = (view: EntityView, origin: Origin) => Promise<PublishAnswer>;

/**
 * Makes an object show what its workflow says, in the order that leaves no gap: finalizer, annotations and spec,
 * then the status, and the finalizer off at last. Idempotent; writes nothing that is so already. One at a time
 * for each object, and never an older view after a newer one.
 */
export function createPublishEntity({ kube, bindings, ledger, now }: WriteEntityDeps): PublishEntity {
  const serially = createSerializer();

  const write = async (view: EntityView, binding: Binding): Promise<PublishAnswer> => {
    const path = objectPath(binding.followed, view);
    const change = async (object: Writable, patch: Json, subresource = ''): Promise<Writable> => {
      // Every patch names the version it was made from, so that it hits the very object that was read.
      const metadata = {
        ...(isObject(patch['metadata']) && patch['metadata']),
        resourceVersion: object.metadata.resourceVersion,
      };
      return readObject(await kube.patch(`${path}${subresource}`, { ...patch, metadata }));
    };
    const found = await kube.find(path);
    if (found === undefined) return { kind: 'gone' };
    let object = readObject(found);
    if (object.metadata.uid !== view.uid) return { kind: 'superseded' };

    const own = objectPatch(object, view, binding.finalizer);
    if (own !== undefined) object = await change(object, own);
    const status = statusPatch(object, view, now());
    if (status !== undefined) object = await change(object, { status }, '/status');
    // Before the object can vanish, so that its end is known to be our doing.
    const { run, revision, finalizer: held = false, leaving: letGo = false } = view;
    const { resourceVersion, deletionTimestamp, finalizers } = object.metadata;
    ledger.set(view.uid, { run, revision, at: now(), resourceVersion, status: object.status, held, letGo });
    if (letGo && deletionTimestamp !== undefined && finalizers.includes(binding.finalizer)) {
      await change(object, { metadata: { finalizers: finalizers.filter((other) => other !== binding.finalizer) } });
    }
    return { kind: 'published' };
  };

  return (view, origin) =>
    serially(view.uid, async () => {
      if (isOutdated(view, origin, ledger.get(view.uid))) return { kind: 'superseded' };
      const binding = bindings.find(({ followed }) => followed.kind === view.kind);
      if (binding === undefined) throw new Error(`This bridge does not know the kind ${view.kind}`);
      return whileContended(() => write(view, binding), isOvertaken);
    });
}

/** Somebody changed the object between our reading and our writing, or deleted it: another look tells. */
const isOvertaken = (error: unknown): boolean => isConflict(error) || isNotFound(error);

/** All that is not status; undefined when all of it is so. */
function objectPatch({ metadata, spec }: Writable, view: EntityView, finalizer: string): Json | undefined {
  const isHeld = metadata.finalizers.includes(finalizer);
  const mayHold = view.finalizer && !view.leaving && !isHeld && metadata.deletionTimestamp === undefined;
  const patch = mergePatch(
    { annotations: metadata.annotations },
    { annotations: { ...metadata.annotations, ...view.annotations } },
  );
  const specPatch = view.spec === undefined ? undefined : mergePatch(spec, merged(spec, view.spec));
  const changed = {
    ...patch,
    ...(mayHold && { finalizers: [...metadata.finalizers, finalizer] }),
  };
  if (Object.keys(changed).length === 0 && specPatch === undefined) return undefined;
  return { metadata: changed, ...(specPatch !== undefined && { spec: specPatch }) };
}

/** undefined when the status says so already, or the kind has none to write. */
function statusPatch({ status }: Writable, view: EntityView, now: number): Json | undefined {
  if (view.status === undefined) return undefined;
  const { lastUpdated: _, ...before } = status;
  const deprecated = view.legacyConditions && {
    v1beta1: {
      ...(isObject(view.status['deprecated']) && isObject(view.status['deprecated']['v1beta1'])
        ? view.status['deprecated']['v1beta1']
        : {}),
      ...(view.legacyConditions.length > 0 && {
        conditions: settleLegacy(view.legacyConditions, legacyConditionsOf(status), now),
      }),
    },
  };
  const wanted = {
    ...view.status,
    ...(view.conditions && { conditions: settle(view.conditions, conditionsOf(status), view.generation, now) }),
    ...(deprecated && Object.keys(deprecated.v1beta1).length > 0 && { deprecated }),
  };
  const patch = mergePatch(view.timed ? before : status, wanted);
  if (patch === undefined) return undefined;
  return view.timed ? { ...patch, lastUpdated: toSeconds(now) } : patch;
}

/** RFC 7396. */
function merged(target: Json, patch: Json): Json {
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = merged(isObject(target[key]) ? target[key] : {}, value);
    else result[key] = value;
  }
  return result;
}
