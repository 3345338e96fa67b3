import { WRITE_REFUSED, writeRefused } from '../../domain/entity/conditions.ts';
import type { Condition, EntityView, Patch } from '../../domain/entity/view.ts';
import { same } from '../../domain/same.ts';
import { removingTaken } from '../../domain/steering/retry-wish.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import { isNotFound, type Kube, KubeError, mayPass } from '../../kube/client.ts';
import { isObject, type Json } from '../../kube/merge-patch.ts';
import { readObject, type Writable } from '../../kube/objects/any-object.ts';
import { objectPath } from '../../kube/paths.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Stores } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import type { Binding, Completed } from '../binding.ts';
import { digestOfStatus, messageText } from '../digest.ts';
import type { Restore } from '../lease/restore.ts';
import { awaitsEcho, type Ledger } from '../ledger.ts';
import type { Announce } from './announce.ts';
import { failingCondition, pausedCondition } from './mark-condition.ts';
import {
  annotationsPatch,
  finalizerPatch,
  inStatus,
  merged,
  specPatch,
  statusPatch,
  withoutFields,
} from './patches.ts';

export interface WriteDeps {
  readonly kube: Kube;
  readonly stores: Pick<Stores, 'get' | 'having'>;
  readonly ledger: Ledger;
  readonly restore: Restore;
  readonly announce: Announce;
  /** Called for each write that the API server refused. */
  readonly onRefused: (kind: string) => void;
  readonly log: Log;
  /** ms since the epoch. */
  readonly now: () => number;
}

type Part = 'finalizers' | 'annotations' | 'spec' | 'status';

export type WriteAnswer =
  /** `at`: when, by our clock; ms. */
  | {
      readonly kind: 'written';
      readonly at: number;
      /** Set when the generation of the object was raised by this write alone: the status is of this generation. */
      readonly generation?: number;
    }
  /** The name belongs to another object now. */
  | { readonly kind: 'another' }
  | { readonly kind: 'gone' }
  /** Nothing was written: the object shows that its workflow may not end yet. */
  | { readonly kind: 'too early'; readonly why: string }
  /** The status was not written: it has values that the schema of the kind refuses, now and later. */
  | { readonly kind: 'invalid'; readonly why: string };

interface WriteOptions {
  /** The cached object may be used. */
  readonly isCacheTrusted: boolean;
  /** When the same view was first written (ms): `lastUpdated` gets this time, and not the time of this write. */
  readonly repairs?: number;
  /** Values of the status that the schema refuses are left out; a condition says so. */
  readonly leavesOut?: boolean;
}

export type Write = (view: EntityView, binding: Binding, options: WriteOptions) => Promise<WriteAnswer>;

/**
 * Writes the differences between an object and its view, in this order: finalizer, annotations and spec, status,
 * removal of annotations that are now in the status, Events, removal of the finalizer. Throws a conflict when the
 * object was changed since it was read.
 */
export function createWrite({ kube, stores, ledger, restore, announce, onRefused, log, now }: WriteDeps): Write {
  /** Reads the cached object if allowed: a write based on an outdated one is refused as a conflict. */
  const read = async (view: EntityView, binding: Binding, isCacheTrusted: boolean): Promise<Writable | undefined> => {
    const cached = stores.get(binding.followed, keyOf(view));
    const isSame = cached?.uid === view.uid;
    const { written } = ledger.find(view.uid) ?? {};
    if (isCacheTrusted && isSame && !awaitsEcho(cached, written, now())) return readObject(cached.object);
    // The cached object is not the present one: it was changed, by others or by us, or etcd was restored.
    await restore.look();
    const found = await kube.find(objectPath(binding.followed, view));
    return found === undefined ? undefined : readObject(found);
  };

  return async (view, binding, { isCacheTrusted, repairs, leavesOut = false }) => {
    const { followed, finalizer, tally } = binding;
    const path = objectPath(followed, view);
    const found = await read(view, binding, isCacheTrusted);
    if (found === undefined) return { kind: 'gone' };
    if (found.metadata.uid !== view.uid) return { kind: 'another' };
    if (view.leaving) {
      // etcd was restored since the workflow decided to end.
      const why = found.metadata.deletionTimestamp === undefined ? 'it is not being deleted' : undefined;
      const tooEarly = why ?? (await binding.hindranceToLeave?.({ object: found, view, stores, kube }));
      if (tooEarly !== undefined) return { kind: 'too early', why: tooEarly };
    }
    let object = found;
    const known = ledger.of(view.uid);
    /** Conditions beside those of the view. */
    const added: Condition[] = [
      ...(known.failing === '' ? [] : [failingCondition(known.failing)]),
      ...(known.paused === '' ? [] : [pausedCondition(known.paused)]),
    ];
    /** The run of an operation is paused, and that of its object shows something nevertheless. */
    const conditions = view.shown.conditions?.map((each) =>
      each.type === 'Ready' && known.paused !== '' ? { ...each, message: known.paused } : each,
    );

    /** Every patch carries the resourceVersion on which it is based, so a changed object is refused as a conflict. */
    const change = async (patch: Json | undefined, subresource = ''): Promise<void> => {
      if (patch === undefined) return;
      const { resourceVersion } = object.metadata;
      const metadata = { ...(isObject(patch['metadata']) && patch['metadata']), resourceVersion };
      object = readObject(await kube.patch(`${path}${subresource}`, { ...patch, metadata }));
    };
    /** The message for the owner of the object: it names the write, but not the request. */
    const refusalOf = (part: Part, { words }: KubeError): string =>
      withoutUrlSecrets(`patching the ${part} of ${followed.kind} ${keyOf(view)}: ${words}`);
    const tellRefused = async (message: string, error: KubeError): Promise<void> => {
      const { uid: objectUid, run: firstRunId } = view;
      log.warn(
        { kind: followed.kind, object: keyOf(view), objectUid, firstRunId, err: error },
        'the API server refused a write',
      );
      onRefused(followed.kind);
      const event = { id: `refused/${message}`, reason: WRITE_REFUSED, message, type: 'Warning' } as const;
      await announce({ binding, object: view, event });
    };
    /** A refused patch becomes an Event and a condition and is not retried; the status is written nevertheless. */
    const changeIfAllowed = async (part: Part, patch: Json | undefined): Promise<void> => {
      try {
        await change(patch);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        const message = refusalOf(part, error);
        await tellRefused(message, error);
        added.push(...writeRefused(message, error.reason || 'Refused'));
      }
    };
    /** Writes both with one request, unless one of them is refused. */
    const changeBothIfAllowed = async (annotations: Json | undefined, spec: Json | undefined): Promise<void> => {
      try {
        if (annotations !== undefined && spec !== undefined) return await change({ ...annotations, ...spec });
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      await changeIfAllowed('annotations', annotations);
      await changeIfAllowed('spec', spec);
    };
    /** Writes a patch that the rest depends on: a refusal is reported and the write is retried. */
    const changeInAnyCase = async (part: Part, patch: Json | undefined): Promise<void> => {
      try {
        await change(patch);
      } catch (error) {
        if (isRefusal(error)) await tellRefused(refusalOf(part, error), error);
        throw error;
      }
    };
    /**
     * Writes the status. A refusal that names invalid values is final: it is returned, or the status is written without
     * these values. Any other refusal, for example by a policy, is reported, and the write is retried.
     */
    const changeStatus = async (status: Patch): Promise<string | undefined> => {
      const moment = { now: now(), ...(repairs !== undefined && { repairs }) };
      let leftOut: readonly string[] = [];
      for (;;) {
        const shown = { ...view.shown, ...(conditions && { conditions }) };
        const patch = statusPatch(object, { shown, generation }, status, added, moment);
        try {
          await change(patch && { status: withoutFields(patch, leftOut) }, '/status');
          return undefined;
        } catch (error) {
          if (!isRefusal(error)) throw error;
          const message = refusalOf('status', error);
          await tellRefused(message, error);
          const invalid = inStatus(error.fields).filter((field) => !leftOut.includes(field));
          if (error.status !== INVALID || invalid.length === 0) throw error;
          if (!leavesOut) return message;
          leftOut = [...leftOut, ...invalid];
          added.push(...writeRefused(message, error.reason || 'Refused'));
        }
      }
    };

    const completed: Completed | undefined = await binding.complete?.({
      view,
      object,
      written: known.written,
      kube,
      stores,
    });
    await changeInAnyCase('finalizers', inMetadata(finalizerPatch(object, view, finalizer)));
    const wanted = { ...view.shown.annotations, ...completed?.annotations };
    const isTaken = (wish: string): boolean =>
      view.shown.retryTaken === undefined || view.shown.retryTaken === messageText(wish);
    const annotations = annotationsPatch(object, removingTaken(object.metadata.annotations, wanted, isTaken));
    const spec = specPatch(object, { ...view.shown.spec, ...completed?.spec });
    const { metadata: asRead, spec: specAsRead } = object;
    await changeBothIfAllowed(inMetadata(annotations), spec && { spec });
    // Every patch carries the version on which it is based, so nobody but a policy has changed the spec meanwhile.
    const isAsWritten = spec !== undefined && same(object.spec, merged(specAsRead, spec));
    if (isAsWritten && asRead.generation === view.generation && object.metadata.generation > view.generation)
      known.raised = { from: view.generation, to: object.metadata.generation };
    const isRaised = known.raised?.from === view.generation && known.raised.to === object.metadata.generation;
    const generation = isRaised ? object.metadata.generation : view.generation;

    const before = object;
    const own = completed?.own ?? {};
    const status = completed?.status ?? view.shown.status;
    if (status !== undefined && !(completed?.isBlank && object.status['lastUpdated'] === undefined)) {
      // Stored before the write, so that our own write is not taken for another client's.
      if (known.written !== undefined) known.written = { ...known.written, own: { ...known.written.own, coming: own } };
      for (const each of [completed?.firstStatus, status]) {
        const invalid = each && (await changeStatus(each));
        if (invalid !== undefined) return { kind: 'invalid', why: invalid };
      }
    }
    // Counted now: when something fails below, the retry finds no difference in the status.
    tally?.shown(before, view);
    await changeIfAllowed('annotations', inMetadata(spentPatch(object, completed)));

    const events = (view.shown.events ?? [])
      .filter(({ onlyListed }) => !onlyListed)
      .map((event) => ({ ...event, type: event.warning ? ('Warning' as const) : ('Normal' as const) }));
    for (const event of [...events, ...(completed?.events?.(object) ?? [])]) {
      const announcement = { binding, object: view, run: view.run, event, related: completed?.related };
      if (await announce(announcement)) tally?.told(view, event);
    }

    const { run, revision, at: viewAt, leaving: letGo = false } = view;
    const { resourceVersion } = object.metadata;
    const held = view.shown.finalizer === true && !letGo;
    // Stored before the finalizer is removed, so that the deletion is not taken for somebody else's.
    known.written = {
      run,
      revision,
      viewAt,
      at: now(),
      resourceVersion,
      status: digestOfStatus(object.status),
      held,
      letGo,
      own,
    };
    if (letGo) {
      try {
        await changeInAnyCase('finalizers', inMetadata(withoutFinalizer(object, finalizer)));
      } catch (error) {
        // Its workflow may be lost before it repeats the write: the object is still looked after.
        if (!isNotFound(error)) known.written = { ...known.written, letGo: false };
        throw error;
      }
    }
    return { kind: 'written', at: known.written.at, ...(generation !== view.generation && { generation }) };
  };
}

const inMetadata = (metadata: Json | undefined): Json | undefined => metadata && { metadata };

/** The finalizer is removed only from an object that is being deleted. */
function withoutFinalizer({ metadata: { finalizers, deletionTimestamp } }: Writable, ours: string): Json | undefined {
  if (deletionTimestamp === undefined || !finalizers.includes(ours)) return undefined;
  return { finalizers: finalizers.filter((other) => other !== ours) };
}

function spentPatch({ metadata }: Writable, completed: Completed | undefined): Json | undefined {
  const spent = (completed?.spent ?? []).filter((key) => metadata.annotations[key] !== undefined);
  return spent.length === 0 ? undefined : { annotations: Object.fromEntries(spent.map((key) => [key, null])) };
}

/**
 * The API server refused the content. Conflicts, missing objects, missing authorization and rate limits are no
 * refusals.
 */
const isRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.status >= 400 && error.status < 500 && !mayPass(error) && error.status !== 404;

/** The status code for an object that breaks the schema of its kind, or a policy. */
const INVALID = 422;
