import { begin, retryOf, stillGiven, withoutTrouble, withTrouble } from '../allocation/memory.ts';
import { plural, tasksInWords } from '../allocation/words.ts';
import type { Ending, Entity, Moment, Outcome, Step } from '../entity/entity.ts';
import { markdown } from '../entity/markdown.ts';
import { areComparable } from '../entity/seen.ts';
import type { Shown } from '../entity/view.ts';
import { flag, list, object, text, whole } from '../message/shape.ts';
import { type ClaimTask, decide } from './decide.ts';
import { absorb, type TemplateMemory } from './memory.ts';
import type { TemplateSnapshot } from './snapshot.ts';

/** The tasks of one activity, in their order. */
export interface TemplateAction {
  readonly namespace: string;
  readonly template: string;
  readonly tasks: readonly ClaimTask[];
}

/** How each task ended, in the order of the tasks. */
export type IndexTaskAnswer =
  | { readonly kind: 'done' }
  /** A Metal3Data of this name exists and belongs to another claim. */
  | { readonly kind: 'taken' }
  /** The API server refused. */
  | { readonly kind: 'refused'; readonly message: string };

/** Tasks in one activity. Small, so that a crash repeats little and results are shown early. */
const BATCH = 50;

type TemplateStep = Step<TemplateMemory, TemplateAction>;

export const templateEntity: Entity<TemplateSnapshot, TemplateMemory, TemplateAction, readonly IndexTaskAnswer[]> = {
  snapshot: object({
    paused: flag,
    claims: list(
      object({ name: text, uid: text, creationTimestamp: text, deleting: flag, paused: flag, hasFinalizer: flag }),
    ),
    data: list(object({ name: text, index: whole(0), claim: text, deleting: flag, hasFinalizer: flag })),
    free: list(whole(0)),
    counts: object({ claims: whole(0), data: whole(0), paused: whole(0) }),
  }),
  begin,
  absorb,
  nextStep,
  record,
  show,
  summaryOf,
  detailsOf: ({ seen, allocated }, waitingFor) =>
    markdown`**Metal3DataTemplate ${seen.name}** in ${seen.namespace}: ${seen.counts.data + allocated.length} indexes taken, ${seen.claims.length} claims open.\n\n${waitingFor}`,
};

function nextStep(memory: TemplateMemory, { now, shown }: Moment): TemplateStep {
  const { seen } = memory;
  const deleting = seen.deletionTimestamp !== undefined;
  if (seen.paused) return { kind: 'wait', reason: 'paused' };
  if (!deleting && shown?.finalizer !== true) return { kind: 'show' };
  const tasks = decide(memory, now).slice(0, BATCH);
  if (tasks.length > 0) {
    return { kind: 'act', action: { namespace: seen.namespace, template: seen.name, tasks } };
  }
  const retry = retryOf(memory, now);
  if (deleting) {
    const users = usersOf(seen, stillGiven(memory.allocated, now).length);
    if (users === '') return { kind: 'gone' };
    return { kind: 'wait', reason: `will be deleted when it is no longer used: ${users}`, ...retry };
  }
  return { kind: 'wait', reason: openOf(memory), ...retry };
}

function usersOf({ counts }: TemplateSnapshot, given: number): string {
  const { claims } = counts;
  const data = counts.data + given;
  const users = [
    ...(claims > 0 ? [plural(claims, 'Metal3DataClaim', 'Metal3DataClaims')] : []),
    ...(data > 0 ? [`${data} Metal3Data`] : []),
  ];
  return users.join(', ');
}

function openOf({ seen, troubles }: TemplateMemory): string {
  const trouble = seen.claims.find(({ uid }) => troubles[uid] !== undefined);
  if (trouble !== undefined) return `Metal3DataClaim ${trouble.name}: ${troubles[trouble.uid]?.message ?? ''}`;
  const { paused } = seen.counts;
  return paused === 0 ? 'a claim' : `${plural(paused, 'claim is', 'claims are')} paused`;
}

function record(
  memory: TemplateMemory,
  { tasks }: TemplateAction,
  outcome: Outcome<readonly IndexTaskAnswer[]>,
  { now, before }: Pick<Ending<TemplateMemory>, 'now' | 'before'>,
): TemplateMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed')
    return tasks.reduce((all, task) => withTrouble(all, keyOf(task), outcome.message, now), memory);
  const after = tasks.reduce((all, task, at) => {
    const answer = outcome.answer[at];
    return answer === undefined ? all : recordTask(all, task, answer, now);
  }, memory);
  // Work that was done before etcd was restored may be lost.
  return areComparable(before.seen, memory.seen) ? after : { ...after, done: memory.done };
}

function recordTask(memory: TemplateMemory, task: ClaimTask, answer: IndexTaskAnswer, now: number): TemplateMemory {
  if (answer.kind === 'refused') return withTrouble(memory, keyOf(task), answer.message, now);
  const settled = withoutTrouble(memory, keyOf(task));
  switch (task.kind) {
    case 'give': {
      if (answer.kind === 'taken') return { ...settled, refused: [...memory.refused, task.index] };
      const others = memory.allocated.filter(({ name }) => name !== task.claim);
      const isShown = memory.seen.data.some(({ claim }) => claim === task.claim);
      const allocated = isShown ? others : [...others, { name: task.claim, index: task.index, at: now }];
      return { ...settled, allocated, done: { ...memory.done, [task.uid]: 'allocated' } };
    }
    case 'release': {
      const allocated = memory.allocated.filter(({ name }) => name !== task.claim);
      return { ...settled, allocated, done: { ...memory.done, [task.uid]: 'released' } };
    }
    case 'complain':
      return { ...settled, done: { ...memory.done, [task.uid]: 'reported' } };
    case 'let go':
      return { ...settled, done: { ...memory.done, [task.data]: 'released' } };
  }
}

const keyOf = (task: ClaimTask): string => (task.kind === 'let go' ? task.data : task.uid);

/** The bridge adds the indexes to the status, from the Metal3Data. */
function show({ seen }: TemplateMemory): Shown {
  return seen.paused ? {} : { finalizer: true, status: {}, timed: true };
}

const WORDS = { give: 'give', release: 'release', complain: 'refuse', 'let go': 'let go' } as const;

function summaryOf({ tasks }: TemplateAction): string {
  return tasksInWords(tasks, WORDS, (task) => (task.kind === 'let go' ? task.data : task.claim));
}
