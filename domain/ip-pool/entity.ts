import { begin, isDue, retryOf, stillGiven, withoutTrouble, withTrouble } from '../allocation/memory.ts';
import { plural, tasksInWords } from '../allocation/words.ts';
import type { Ending, Entity, Moment, Outcome, Step } from '../entity/entity.ts';
import { type Markdown, markdown } from '../entity/markdown.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import { areComparable } from '../entity/seen.ts';
import type { Shown } from '../entity/view.ts';
import { flag, list, object, oneOf, optional, table, text, whole } from '../message/shape.ts';
import type { AddressTaskAnswer, PoolAction, PoolAnswer } from './action.ts';
import { type AddressTask, decide, numberOf, taskKeyOf } from './decide.ts';
import { absorb, LINK, type PoolMemory } from './memory.ts';
import { addressName } from './names.ts';
import type { PoolSnapshot } from './snapshot.ts';

/** Tasks in one activity. Small, so that a crash repeats little and results are shown early. */
const BATCH = 100;

type PoolStep = Step<PoolMemory, PoolAction>;

const kind = oneOf('IPClaim', 'IPAddressClaim');
const addressRef = { name: text, address: text };

export const ipPoolEntity: Entity<PoolSnapshot, PoolMemory, PoolAction, PoolAnswer> = {
  snapshot: object({
    paused: flag,
    cluster: optional(object({ name: text, uid: optional(text), paused: flag, isLinked: flag })),
    spec: table,
    isPart: optional(flag),
    claims: list(
      object({
        kind,
        name: text,
        uid: text,
        creationTimestamp: text,
        deleting: flag,
        addresses: list(object(addressRef)),
      }),
    ),
    loose: list(object({ kind, claim: text, ...addressRef })),
    inUse: list(text),
    reserved: list(text),
    addresses: whole(0),
  }),
  begin,
  absorb,
  nextStep,
  record,
  show,
  summaryOf,
  detailsOf,
};

/** Why nothing is done for the pool; undefined: something may be. */
function hindranceOf({ paused, cluster, deletionTimestamp }: PoolSnapshot): string | undefined {
  if (paused) return 'paused';
  if (cluster === undefined) return undefined;
  if (cluster.uid === undefined && deletionTimestamp === undefined) return `Cluster ${cluster.name} does not exist`;
  return cluster.paused ? `paused with Cluster ${cluster.name}` : undefined;
}

function nextStep(memory: PoolMemory, { now, shown }: Moment): PoolStep {
  const { seen } = memory;
  const linking = linkOf(memory, now);
  if (linking !== undefined) return { kind: 'act', action: linking };
  const hindrance = hindranceOf(seen);
  if (hindrance !== undefined) return { kind: 'wait', reason: hindrance, ...retryOf(memory, now) };
  const deleting = seen.deletionTimestamp !== undefined;
  if (!deleting && shown?.finalizer !== true) return { kind: 'show' };
  const tasks = decide(memory, now).slice(0, BATCH);
  if (tasks.length > 0) {
    return { kind: 'act', action: { name: 'settle', pool: refOf(seen), namePrefix: seen.spec.namePrefix, tasks } };
  }
  if (!deleting) return { kind: 'wait', reason: openOf(memory), ...retryOf(memory, now) };
  const users = usersOf(seen, stillGiven(memory.allocated, now).length);
  if (users === '') return { kind: 'gone' };
  return { kind: 'wait', reason: `will be deleted when it is no longer used: ${users}`, ...retryOf(memory, now) };
}

const refOf = ({ namespace, name, uid }: PoolSnapshot): ObjectRef => ({ namespace, name, uid });

/** Links the pool also while its Cluster is paused: clusterctl finds a pool by its owner. */
function linkOf(memory: PoolMemory, now: number): PoolAction | undefined {
  const { seen, linkedAt } = memory;
  const { cluster, paused, resourceVersion } = seen;
  if (paused || cluster === undefined || cluster.isLinked || linkedAt === resourceVersion) return undefined;
  if (!isDue(memory, LINK, now)) return undefined;
  const { name, uid } = cluster;
  return { name: 'link', pool: refOf(seen), cluster: name, ...(uid !== undefined && { owner: { uid } }) };
}

function record(
  memory: PoolMemory,
  action: PoolAction,
  outcome: Outcome<PoolAnswer>,
  { now, before }: Pick<Ending<PoolMemory>, 'now' | 'before'>,
): PoolMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed') {
    const keys = action.name === 'link' ? [LINK] : action.tasks.map(taskKeyOf);
    return keys.reduce((all, key) => withTrouble(all, key, outcome.message, now), memory);
  }
  // Work that was done before etcd was restored may be lost.
  const isSame = areComparable(before.seen, memory.seen);
  if (action.name === 'link') {
    const settled = withoutTrouble(memory, LINK);
    const isAwaited = isSame && memory.seen.cluster?.isLinked === false;
    return isAwaited ? { ...settled, linkedAt: before.seen.resourceVersion } : settled;
  }
  const { answer } = outcome;
  if (answer === 'linked') return memory;
  const after = action.tasks.reduce((all, task, at) => {
    const one = answer[at];
    return one === undefined ? all : recordTask(all, task, one, now);
  }, memory);
  return isSame ? after : { ...after, done: memory.done, allocated: memory.allocated };
}

function recordTask(memory: PoolMemory, task: AddressTask, answer: AddressTaskAnswer, now: number): PoolMemory {
  const key = taskKeyOf(task);
  if (answer.kind === 'refused') return withTrouble(memory, key, answer.message, now);
  const settled = withoutTrouble(memory, key);
  const done = (what: PoolMemory['done'][string]): PoolMemory['done'] => ({ ...memory.done, [key]: what });
  const others = stillGiven(memory.allocated, now).filter(({ uid }) => uid !== key);
  switch (task.kind) {
    case 'give': {
      const { address } = task.allocation;
      if (answer.kind === 'taken') return { ...settled, refused: [...memory.refused, address] };
      if (answer.kind === 'needless') return { ...settled, done: done('allocated') };
      const name = addressName(memory.seen.spec.namePrefix, numberOf(task.allocation));
      return { ...settled, allocated: [...others, { uid: key, name, address, at: now }], done: done('allocated') };
    }
    case 'show':
      return { ...settled, done: done('allocated') };
    case 'release':
      return { ...settled, allocated: others, done: done('released') };
    case 'refuse':
      return { ...settled, done: done({ message: task.message }) };
    case 'let go':
      return { ...settled, done: done('released') };
  }
}

/** The bridge adds the allocated addresses to the status, from the IPAddresses. */
function show({ seen }: PoolMemory): Shown {
  return hindranceOf(seen) === undefined ? { finalizer: true, status: {}, timed: true } : {};
}

/** '' when nothing is left. */
function usersOf({ addresses }: PoolSnapshot, unseen: number): string {
  const count = addresses + unseen;
  return count === 0 ? '' : plural(count, 'IPAddress', 'IPAddresses');
}

function openOf({ seen, troubles, done }: PoolMemory): string {
  const troubled = seen.claims.find(({ uid }) => troubles[uid] !== undefined);
  if (troubled !== undefined) return `${troubled.kind} ${troubled.name}: ${troubles[troubled.uid]?.message ?? ''}`;
  const [own] = Object.values(troubles);
  if (own !== undefined) return own.message;
  const refused = seen.claims.filter(({ uid, deleting }) => !deleting && typeof done[uid] === 'object').length;
  return refused === 0 ? 'a claim' : `${plural(refused, 'claim gets', 'claims get')} no address`;
}

const WORDS = { give: 'give', show: 'show', release: 'release', refuse: 'refuse', 'let go': 'let go' } as const;

function summaryOf(action: PoolAction): string {
  if (action.name === 'link') return `Link to Cluster ${action.cluster}`;
  return tasksInWords(action.tasks, WORDS, (task) => (task.kind === 'let go' ? task.loose.name : task.claim.name));
}

function detailsOf({ seen, allocated }: PoolMemory, waitingFor: string): Markdown {
  return markdown`**IPPool ${seen.name}** in ${seen.namespace}: ${plural(seen.addresses + allocated.length, 'address', 'addresses')} given, ${plural(seen.claims.length, 'claim', 'claims')} open.\n\n${waitingFor}`;
}
