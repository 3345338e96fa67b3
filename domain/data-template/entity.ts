import { begin, retryOf, withoutTrouble, withTrouble } from '../allocation/memory.ts';
import type { Ending, Entity, Moment, Outcome, Step } from '../entity/entity.ts';
import { markdown } from '../entity/markdown.ts';
import { areComparable } from '../entity/seen.ts';
import type { Shown } from '../entity/view.ts';
import { flag, list, object, text, whole } from '../message/shape.ts';
import { type ClaimTask, decide, indexesOf } from './decide.ts';
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
/** Maximum number of indexes in a status. */
const SHOWN_INDEXES = 512;

type TemplateStep = Step<TemplateMemory, TemplateAction>;

export const templateEntity: Entity<TemplateSnapshot, TemplateMemory, TemplateAction, readonly IndexTaskAnswer[]> = {
  snapshot: object({
    paused: flag,
    claims: list(object({ name: text, uid: text, creationTimestamp: text, deleting: flag, paused: flag, held: flag })),
    settled: list(text),
    data: list(object({ name: text, index: whole(0), claim: text, deleting: flag, held: flag })),
  }),
  begin,
  absorb,
  nextStep,
  record,
  show,
  summaryOf,
  detailsOf: (memory, waitingFor) => {
    const { seen } = memory;
    return markdown`**Metal3DataTemplate ${seen.name}** in ${seen.namespace}: ${indexesOf(memory).length} indexes taken, ${seen.claims.length} claims open.\n\n${waitingFor}`;
  },
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
    const users = usersOf(memory);
    if (users === '') return { kind: 'gone' };
    return { kind: 'wait', reason: `will be deleted when it is no longer used: ${users}`, ...retry };
  }
  return { kind: 'wait', reason: openOf(memory), ...retry };
}

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function usersOf({ seen, given }: TemplateMemory): string {
  const claims = seen.settled.length + seen.claims.filter(({ deleting }) => !deleting).length;
  const data = seen.data.length + given.length;
  const users = [
    ...(claims > 0 ? [plural(claims, 'Metal3DataClaim', 'Metal3DataClaims')] : []),
    ...(data > 0 ? [`${data} Metal3Data`] : []),
  ];
  return users.join(', ');
}

function openOf({ seen, troubles }: TemplateMemory): string {
  const trouble = seen.claims.find(({ uid }) => troubles[uid] !== undefined);
  if (trouble !== undefined) return `Metal3DataClaim ${trouble.name}: ${troubles[trouble.uid]?.message ?? ''}`;
  const paused = seen.claims.filter((claim) => claim.paused && !claim.deleting).length;
  return paused === 0 ? 'a claim' : `${plural(paused, 'claim is', 'claims are')} paused`;
}

function record(
  memory: TemplateMemory,
  { tasks }: TemplateAction,
  outcome: Outcome<readonly IndexTaskAnswer[]>,
  { now, before }: Pick<Ending<TemplateMemory>, 'now' | 'before'>,
): TemplateMemory {
  switch (outcome.kind) {
    case 'cancelled':
      return memory;
    case 'failed':
      return tasks.reduce((all, task) => withTrouble(all, keyOf(task), outcome.message, now), memory);
    case 'done': {
      const after = tasks.reduce((all, task, at) => {
        const answer = outcome.answer[at];
        return answer === undefined ? all : recordTask(all, task, answer, now);
      }, memory);
      // Work that was done before etcd was restored may be lost.
      return areComparable(before.seen, memory.seen) ? after : { ...after, done: memory.done };
    }
  }
}

function recordTask(memory: TemplateMemory, task: ClaimTask, answer: IndexTaskAnswer, now: number): TemplateMemory {
  if (answer.kind === 'refused') return withTrouble(memory, keyOf(task), answer.message, now);
  const settled = withoutTrouble(memory, keyOf(task));
  switch (task.kind) {
    case 'give': {
      if (answer.kind === 'taken') return { ...settled, refused: [...memory.refused, task.index] };
      const others = memory.given.filter(({ name }) => name !== task.claim);
      const isShown = memory.seen.data.some(({ claim }) => claim === task.claim);
      const given = isShown ? others : [...others, { name: task.claim, index: task.index }];
      return { ...settled, given, done: { ...memory.done, [task.uid]: 'given' } };
    }
    case 'release': {
      const given = memory.given.filter(({ name }) => name !== task.claim);
      return { ...settled, given, done: { ...memory.done, [task.uid]: 'released' } };
    }
    case 'complain':
      return { ...settled, done: { ...memory.done, [task.uid]: 'told' } };
    case 'let go':
      return { ...settled, done: { ...memory.done, [task.data]: 'released' } };
  }
}

const keyOf = (task: ClaimTask): string => (task.kind === 'let go' ? task.data : task.uid);

function show(memory: TemplateMemory): Shown {
  if (memory.seen.paused) return {};
  const indexes = indexesOf(memory).slice(0, SHOWN_INDEXES);
  return { finalizer: true, status: indexes.length === 0 ? {} : { indexes }, timed: true };
}

function summaryOf({ tasks }: TemplateAction): string {
  const words = { give: 'give', release: 'release', complain: 'refuse', 'let go': 'let go' } as const;
  const kinds = Object.keys(words) as (keyof typeof words)[];
  const parts = kinds.flatMap((kind) => {
    const of = tasks.filter((task) => task.kind === kind);
    const [first] = of;
    if (first === undefined) return [];
    const name = first.kind === 'let go' ? first.data : first.claim;
    return [`${words[kind]} ${of.length === 1 ? name : of.length}`];
  });
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 190);
}
