import { ageOf, believed } from '../../domain/clock.ts';
import { isBefore } from '../../domain/entity/order.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { isOvertaken } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import type { Serializer } from '../../kube/one-at-a-time.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { PublishAnswer } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import type { Announce } from './announce.ts';
import { judge, type Origin, type ViewVerdict } from './judge.ts';
import type { ToldFirst } from './told-first.ts';
import type { Write } from './write.ts';

export interface PublishDeps extends Pick<Around, 'ledger' | 'now'> {
  readonly bindings: readonly Binding[];
  readonly stores: Pick<Stores, 'get'>;
  readonly toldFirst: ToldFirst;
  readonly write: Write;
  readonly announce: Announce;
  /** Runs the writes of one uid one after the other. */
  readonly serially: Serializer;
  /** Queues the object. */
  readonly look: (kind: string, key: string) => void;
  /** True for an object that is left to another operator. */
  readonly isLeftAlone?: (binding: Binding, view: EntityView) => boolean;
  /** Called after each publication, also without a difference. */
  readonly onWritten: (kind: string, key: string) => void;
  /** Called after each write with the time (ms) since the change of the view. */
  readonly onLag?: (kind: string, ms: number) => void;
}

/**
 * A run that shows invalid values again within this time does not begin anew again: it has them from its object, and
 * would repeat its last operation for ever.
 */
const INVALID_AGAIN_MS = 3_600_000;

export type Publish = (view: EntityView, origin: Origin) => Promise<PublishAnswer>;

/**
 * Writes the view of a workflow to its object. Idempotent; only differences are written. One view at a time for each
 * object, and never an older view after a newer one.
 */
export function createPublish(deps: PublishDeps): Publish {
  const { bindings, stores, ledger, toldFirst, write, announce, serially, look, onWritten, onLag, now: clock } = deps;
  const { isLeftAlone = () => false } = deps;
  const byKind = new Map(bindings.map((binding) => [binding.followed.kind, binding]));

  const publish = async (view: EntityView, origin: Origin): Promise<PublishAnswer> => {
    const binding = byKind.get(view.kind);
    if (binding === undefined) throw new Error(`This bridge does not know the kind ${view.kind}`);
    remindOfUid(view, binding);
    // What another operator writes is newer. When it has ended, the run first gets a snapshot with that.
    const isOthers = isLeftAlone(binding, view) || ledger.find(view.uid)?.leftAlone !== undefined;
    if (isOthers && !asksForSnapshot(view)) return { kind: 'superseded' };
    const present = await toldFirst(view, binding);
    const { view: now, origin: from } = present ?? { view, origin };
    const repairs = origin.kind === 'query' ? shownBefore(now, clock()) : undefined;
    const answer = await publishPresent(now, from, binding, repairs);
    if (answer.kind !== 'published') return answer;
    if (now.run !== view.run) return { kind: 'superseded' };
    return now.revision === view.revision ? answer : { ...answer, instead: now };
  };

  const publishPresent = async (
    view: EntityView,
    origin: Origin,
    binding: Binding,
    repairs: number | undefined,
  ): Promise<PublishAnswer> => {
    const known = ledger.find(view.uid);
    switch (verdictOn(view, origin, binding)) {
      case 'superseded':
        return { kind: 'superseded' };
      case 'behind':
        return beginAnew(view, binding);
      case 'news': {
        if (known !== undefined) known.anewFrom = undefined;
        const leavesOut = hasBegunAnew(view);
        const answer = await whileContended(
          (attempt) =>
            write(view, binding, {
              isCacheTrusted: attempt === 1,
              ...(repairs !== undefined && { repairs }),
              leavesOut,
            }),
          isOvertaken,
        );
        if (answer.kind === 'gone') return answer;
        if (answer.kind === 'too early') return beginAnew({ ...view, behind: answer.why }, binding);
        if (answer.kind === 'invalid') {
          ledger.of(view.uid).invalidAt = clock();
          return beginAnew(
            view,
            binding,
            `The workflow would show what the API server refuses, and begins anew from this object: ${answer.why}`,
          );
        }
        if (answer.kind !== 'written') return { kind: 'superseded' };
        // A repair writes a view that was published before, so it is not measured.
        if (origin.kind === 'workflow') onLag?.(view.kind, Math.max(0, answer.at - view.at));
        const { at, generation } = answer;
        return { kind: 'published', at, ...(generation !== undefined && { generation }) };
      }
    }
  };

  const presentOf = (view: EntityView): Entry | undefined => {
    const binding = byKind.get(view.kind);
    return binding && stores.get(binding.followed, keyOf(view));
  };

  const verdictOn = (view: EntityView, origin: Origin, { isOutdated }: Binding): ViewVerdict => {
    if (asksForSnapshot(view)) return 'behind';
    const { written, anewFrom } = ledger.find(view.uid) ?? {};
    // A run that has begun anew continues an old count of revisions, so orders are compared.
    if (anewFrom !== undefined) return isBefore(view.order, anewFrom) ? 'behind' : 'news';
    const verdict = judge(view, origin, written, clock());
    if (verdict !== 'news' || isOutdated === undefined || view.run === written?.run) return verdict;
    const present = presentOf(view);
    return present?.uid === view.uid && isOutdated(view, present.object, clock()) ? 'behind' : verdict;
  };

  /**
   * True when the run has begun anew a short time ago because of invalid values. It does not begin anew for new invalid
   * values.
   */
  const hasBegunAnew = ({ uid }: EntityView): boolean => {
    const { anew, invalidAt } = ledger.find(uid) ?? {};
    return anew === undefined && invalidAt !== undefined && ageOf(invalidAt, clock()) < INVALID_AGAIN_MS;
  };

  /**
   * Has the run begin anew with a new snapshot, because it knows less than its object shows, or shows invalid values.
   */
  const beginAnew = async (view: EntityView, binding: Binding, message = lessKnown(view)): Promise<PublishAnswer> => {
    const known = ledger.of(view.uid);
    if (known.anew === undefined && known.anewFrom === undefined) {
      const event = {
        id: `anew/${view.at}/${view.revision}`,
        reason: 'WorkflowBegunAnew',
        message,
        type: 'Warning',
      } as const;
      await announce({ binding, object: view, run: view.run, event });
    }
    known.anew = view.reset === undefined ? {} : { reset: view.reset };
    look(view.kind, keyOf(view));
    return { kind: 'behind' };
  };

  /** Has a run whose object was replaced get a snapshot of the new object. */
  const remindOfUid = ({ kind, uid, ...object }: EntityView, { followed }: Binding): void => {
    const present = stores.get(followed, keyOf(object));
    if (present === undefined || present.uid === uid) return;
    const known = ledger.find(present.uid);
    if (known !== undefined) known.signalled = undefined;
    look(kind, keyOf(object));
  };

  /**
   * Marks the object as being written. Changes that are seen during a write may be our own; they are compared after the
   * write.
   */
  const withMark = async (view: EntityView, origin: Origin): Promise<PublishAnswer> => {
    const known = ledger.of(view.uid);
    known.writing += 1;
    try {
      return await publish(view, origin);
    } finally {
      known.writing -= 1;
      // The ledger keeps nothing for a view that arrived after the object was deleted.
      const isKnown = known.written !== undefined || known.signalled !== undefined;
      if (!isKnown && presentOf(view)?.uid !== view.uid) ledger.forget(view.uid);
      onWritten(view.kind, keyOf(view));
      if (known.writing === 0 && known.overlooked) {
        known.overlooked = false;
        look(view.kind, keyOf(view));
      }
    }
  };

  return (view, origin) => serially.run(view.uid, () => withMark(view, origin));
}

/** True when the run does nothing before it gets a snapshot with `anew`. */
const asksForSnapshot = ({ behind, reset }: EntityView): boolean => behind !== undefined || reset !== undefined;

const lessKnown = ({ behind }: EntityView): string =>
  `The workflow knew less than this object shows, and begins anew from it: ${
    behind ?? 'it was reset to an earlier point, or Temporal’s database was restored'
  }`;

/**
 * When the bridge first wrote this view; undefined: it has not. A repair writes this time: with its own time in the
 * status, the object would look newer than its run at the run's next view. A time in the future, of a bridge whose clock
 * was ahead, is not written again.
 */
const shownBefore = ({ shown: { state }, at, shownState, shownAt = 0 }: EntityView, now: number): number | undefined =>
  state !== undefined && state === shownState && at <= believed(shownAt, now) ? shownAt : undefined;
