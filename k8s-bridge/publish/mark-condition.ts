import { RECONCILING, STALLED, settle, WORKFLOW_FAILING, WORKFLOW_PAUSED } from '../../domain/entity/conditions.ts';
import type { ObjectRef } from '../../domain/entity/object-ref.ts';
import type { Condition } from '../../domain/entity/view.ts';
import { isConflict } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { mergePatch } from '../../kube/merge-patch.ts';
import { readObject, type Writable } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import type { Serializer } from '../../kube/one-at-a-time.ts';
import { objectPath } from '../../kube/paths.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import { digestOfStatus } from '../digest.ts';

export interface MarkConditionDeps extends Pick<Around, 'kube' | 'ledger' | 'now'> {
  /** The serializer of all writes to the object. */
  readonly serially: Serializer;
}

/**
 * A condition of the bridge's own, which exists only while it has a reason for it. Those that say that a run does nothing
 * keep their generation: the run has perhaps not observed the newest spec.
 */
interface Mark {
  readonly type: string;
  /** Absent: the object has no condition of this type any more. */
  readonly condition?: Condition;
  /** The message of the condition Ready from now on. An object without that condition gets no mark. */
  readonly ready?: string;
  /** Set too while the spec is newer than the condition Ready: for kstatus, which does not look at generations. */
  readonly unseen?: Condition;
  /** Only for a host whose newest spec kstatus would overlook. */
  readonly isForNewSpec?: true;
}

/**
 * Sets or removes one condition of an object. Its other conditions stay. Returns false when nothing was written, because
 * another client wrote at the same time, or the object is left alone: the caller tries again.
 */
export type MarkCondition = (binding: Binding, object: ObjectRef, mark: Mark) => Promise<boolean>;

/** The condition WorkflowFailing; none when `failure` is ''. */
export const failingMark = (failure: string): Mark => ({
  type: WORKFLOW_FAILING,
  ...(failure !== '' && { condition: failingCondition(failure) }),
});

export const failingCondition = (failure: string): Condition => ({
  type: WORKFLOW_FAILING,
  status: 'True',
  reason: 'WorkflowTaskFailing',
  message: failure.slice(0, 1_000),
  keepsGeneration: true,
});

/** The condition WorkflowPaused, whose words Ready shows too: REASON is the message of Ready. Ready itself stays. */
export const pausedMark = (kind: string, pause: string): Mark => ({
  type: WORKFLOW_PAUSED,
  condition: pausedCondition(pause),
  ready: pause,
  ...(kind === KINDS.host.kind && { unseen: { ...pausedCondition(pause), type: RECONCILING } }),
});

/** For a host whose run cannot be told of the newest spec. REASON, too, says it. The run's next view removes both. */
export const outageMark = (outage: string): Mark => {
  const message = `the newest spec waits for Temporal: ${outage}`;
  return {
    type: RECONCILING,
    isForNewSpec: true,
    ready: message,
    condition: { type: RECONCILING, status: 'True', reason: 'TemporalDoesNotAnswer', message, keepsGeneration: true },
  };
};

export const pausedCondition = (pause: string): Condition => ({
  type: WORKFLOW_PAUSED,
  status: 'True',
  reason: 'RunPaused',
  message: pause,
  keepsGeneration: true,
});

const isNewerThanReady = ({ metadata, status }: Writable): boolean =>
  conditionsOf(status).some(
    ({ type, observedGeneration = 0 }) => type === 'Ready' && observedGeneration < metadata.generation,
  );

/** True for a host that kstatus takes for Current, although its spec was changed since its run has observed it. */
export const hidesNewSpec = (binding: Binding, object: Writable): boolean =>
  binding.followed.kind === KINDS.host.kind &&
  isNewerThanReady(object) &&
  conditionsOf(object.status).every(({ type, status }) => type !== RECONCILING || status !== 'True');

export function createMarkCondition({ kube, ledger, serially, now }: MarkConditionDeps): MarkCondition {
  /** False: the object is left alone. */
  const write = async (
    binding: Binding,
    marked: ObjectRef,
    { type: marking, condition, ready, unseen, isForNewSpec }: Mark,
  ): Promise<boolean> => {
    const path = objectPath(binding.followed, marked);
    const found = await kube.find(path);
    if (found === undefined) return true;
    const object = readObject(found);
    const { metadata, status } = object;
    if (metadata.uid !== marked.uid) return true;
    const isLeftToOther = ledger.find(marked.uid)?.leftAlone !== undefined;
    if (isLeftToOther || binding.isLeftAlone?.({ ...metadata, object: found })) return false;
    const conditions = conditionsOf(status);
    // Not every kind has conditions: for the others, each write of an empty list would be a change.
    if (condition === undefined && conditions.every(({ type }) => type !== marking)) return true;
    if (isForNewSpec && !hidesNewSpec(binding, object)) return true;
    if (ready !== undefined && conditions.every(({ type }) => type !== 'Ready')) return true;
    const others = conditions
      .filter(({ type }) => type !== marking || condition !== undefined)
      .map((each) => (each.type === 'Ready' && ready !== undefined ? { ...each, message: ready } : each));
    const added = unseen !== undefined && isNewerThanReady(object) ? [unseen] : [];
    const own = condition === undefined ? [] : [condition, ...added];
    const isReconciling = own.some(({ type }) => type === RECONCILING);
    const kept = isReconciling ? others.filter(({ type }) => type !== STALLED) : others;
    const patch = mergePatch(status, { ...status, conditions: settle(own, kept, metadata.generation, now()) });
    if (patch === undefined) return true;
    const { resourceVersion } = metadata;
    const written = readObject(await kube.patch(`${path}/status`, { metadata: { resourceVersion }, status: patch }));
    const known = ledger.of(marked.uid);
    if (known.written === undefined) return true;
    const { resourceVersion: version } = written.metadata;
    known.written = { ...known.written, resourceVersion: version, status: digestOfStatus(written.status), at: now() };
    return true;
  };
  return async (binding, object, mark) =>
    serially.run(object.uid, () =>
      write(binding, object, mark).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
        return false;
      }),
    );
}
