import { byName } from '../entity/by-name.ts';
import type { Ending, Entity, Moment, Outcome, Step } from '../entity/entity.ts';
import { markdown } from '../entity/markdown.ts';
import type { ObjectRef } from '../entity/object-ref.ts';
import { FIRST_RETRY_MS, isPutOff, type Trouble, troubled, wait, waitToRetry } from '../entity/retry.ts';
import { areComparable } from '../entity/seen.ts';
import type { Shown } from '../entity/view.ts';
import { flag, list, object, optional, table, text } from '../message/shape.ts';
import type { PoolReference } from './pools.ts';
import type { DataSnapshot } from './snapshot.ts';

export type DataAction =
  | { readonly name: 'claim addresses'; readonly data: ObjectRef; readonly pools: readonly PoolReference[] }
  /** Removes our finalizer from the IPClaims of an earlier Metal3Data. */
  | { readonly name: 'let claims go'; readonly data: ObjectRef; readonly claims: readonly string[] }
  | { readonly name: 'render'; readonly data: ObjectRef }
  /** Releases all claims of the Metal3Data, also those that the template no longer asks for. */
  | { readonly name: 'release addresses'; readonly data: ObjectRef };

/** `changed`: the inputs have changed since the decision, and nothing was written. */
export type DataAnswer = 'done' | 'changed';

export interface DataMemory {
  readonly version: 1;
  readonly seen: DataSnapshot;
  /** Work that is done but not yet visible in a snapshot: claims created, IPClaims released, Secrets written. */
  readonly claimed: readonly string[];
  readonly letGo: readonly string[];
  readonly written: boolean;
  readonly released: boolean;
  readonly trouble: Trouble | null;
}

/** Maximum length of a status message. */
const LONGEST_MESSAGE = 512;
const LAST_RETRY_MS = 300_000;

const begin = (seen: DataSnapshot): DataMemory => ({
  version: 1,
  seen,
  claimed: [],
  letGo: [],
  written: false,
  released: false,
  trouble: null,
});

/** Forgets what the snapshot shows by now. Work that was done before etcd was restored may be lost, and is repeated. */
function absorb(memory: DataMemory, seen: DataSnapshot): DataMemory {
  if (!areComparable(memory.seen, seen)) return { ...begin(seen), trouble: memory.trouble };
  return {
    ...memory,
    seen,
    claimed: memory.claimed.filter((pool) => seen.unclaimed.some(({ name }) => name === pool)),
    letGo: memory.letGo.filter((claim) => seen.strays.includes(claim)),
    written: memory.written && !isWritten(seen) && seen.digest === memory.seen.digest,
  };
}

const isWritten = ({ secrets, hindrance }: DataSnapshot): boolean =>
  hindrance === undefined && secrets.every(({ exists }) => exists);
const isReady = ({ seen, written }: DataMemory): boolean => written || isWritten(seen);

type DataStep = Step<DataMemory, DataAction>;

function nextStep(memory: DataMemory, { now, shown }: Moment): DataStep {
  const { seen, trouble } = memory;
  if (seen.deletionTimestamp === undefined && !seen.hasCluster) {
    return wait('Metal3Data is missing cluster label or cluster does not exist');
  }
  if (seen.paused) return wait('paused');
  const data = { namespace: seen.namespace, name: seen.name, uid: seen.uid };
  const attempt = (action: DataAction): DataStep =>
    trouble !== null && isPutOff(trouble, now)
      ? waitToRetry(trouble.message || 'a change', trouble.until)
      : { kind: 'act', action };
  if (seen.deletionTimestamp !== undefined) return leaving(memory, data, attempt);
  if (shown?.finalizer !== true) return { kind: 'show' };
  if (isReady(memory)) return wait('rendered');
  const pools = seen.unclaimed.filter(({ name }) => !memory.claimed.includes(name));
  if (pools.length > 0) return attempt({ name: 'claim addresses', data, pools });
  const claims = seen.strays.filter((name) => !memory.letGo.includes(name));
  if (claims.length > 0) return attempt({ name: 'let claims go', data, claims });
  if (seen.hindrance !== undefined) return wait(seen.hindrance.message);
  return attempt({ name: 'render', data });
}

function leaving({ seen, released }: DataMemory, data: ObjectRef, attempt: (action: DataAction) => DataStep): DataStep {
  if (seen.hasClaim) return wait('will be deleted when its Metal3DataClaim is gone');
  return released ? { kind: 'gone' } : attempt({ name: 'release addresses', data });
}

function record(
  memory: DataMemory,
  action: DataAction,
  outcome: Outcome<DataAnswer>,
  { now, before }: Pick<Ending<DataMemory>, 'now' | 'before'>,
): DataMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (outcome.kind === 'failed')
    return { ...memory, trouble: troubled(memory.trouble, outcome.message, now, LAST_RETRY_MS) };
  // Work that was done before etcd was restored may be lost.
  if (!areComparable(before.seen, memory.seen)) return { ...memory, trouble: null };
  return recordDone({ ...memory, trouble: null }, action, outcome.answer, now);
}

function recordDone(memory: DataMemory, action: DataAction, answer: DataAnswer, now: number): DataMemory {
  switch (action.name) {
    case 'claim addresses':
      return { ...memory, claimed: [...memory.claimed, ...action.pools.map(({ name }) => name)] };
    case 'let claims go':
      return { ...memory, letGo: [...memory.letGo, ...action.claims] };
    case 'render':
      if (answer === 'done') return { ...memory, written: true };
      // The bridge sends the new inputs. If it has sent them already, the repeated attempt does no harm.
      return { ...memory, trouble: { message: '', times: 1, until: now + FIRST_RETRY_MS } };
    case 'release addresses':
      return { ...memory, released: true };
  }
}

function show(memory: DataMemory): Shown {
  const { seen } = memory;
  // A paused object is not changed.
  if (seen.paused || !seen.hasCluster || seen.deletionTimestamp !== undefined) return { finalizer: true };
  const unnamed = seen.secrets.filter(({ key }) => !seen.named[key]);
  const spec = Object.fromEntries(unnamed.map(({ key, name }) => [key, { name, namespace: seen.namespace }]));
  const ready = isReady(memory);
  const errorMessage = ready ? '' : problemOf(memory);
  return {
    finalizer: true,
    ...(unnamed.length > 0 && { spec }),
    status: { ready, ...(errorMessage !== '' && { errorMessage }) },
  };
}

function problemOf({ seen, trouble }: DataMemory): string {
  const message = seen.hindrance?.kind === 'problem' ? seen.hindrance.message : (trouble?.message ?? '');
  return Array.from(message).slice(0, LONGEST_MESSAGE).join('');
}

const summaryOf = byName<DataAction, string>({
  'claim addresses': ({ pools }) => `Claim an address from ${pools.map(({ name }) => name).join(', ')}`.slice(0, 190),
  'let claims go': ({ claims }) => `Remove our finalizer from ${claims.join(', ')}`.slice(0, 190),
  render: () => 'Write the Secrets',
  'release addresses': () => 'Release its addresses',
});

export const dataEntity: Entity<DataSnapshot, DataMemory, DataAction, DataAnswer> = {
  snapshot: object({
    paused: flag,
    hasCluster: flag,
    hasFinalizer: flag,
    named: table,
    hasClaim: flag,
    secrets: list(table),
    unclaimed: list(table),
    strays: list(text),
    hindrance: optional(table),
    digest: optional(text),
  }),
  begin,
  absorb,
  nextStep,
  record,
  show,
  summaryOf,
  detailsOf: ({ seen }, waitingFor) => markdown`**Metal3Data ${seen.name}** in ${seen.namespace}\n\n${waitingFor}`,
};
