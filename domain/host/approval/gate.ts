import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { believed } from '../../clock.ts';
import { same } from '../../same.ts';
import { isAtRest } from '../../states/table.ts';
import { type Answer, answerIn } from '../../steering/answer.ts';
import type { Awaited } from '../../steering/awaited.ts';
import { type HostMemory, withEvent } from '../memory/memory.ts';
import { withSpent } from '../memory/reboot-annotations.ts';
import type { HostStep } from '../step.ts';
import type { Wait } from '../waits.ts';
import { isBegun } from './begun.ts';
import type { Guarded } from './guarded.ts';
import { guardedBy } from './guarded-step.ts';
import { heldStep } from './held-step.ts';
import { askedAgainAt, countedAs, turnOf } from './place.ts';
import { isGuarding, neededBy, needsOf, type SaidWindow, unreadableBudgets, windowsOf } from './policy.ts';
import { allOpenAt } from './window.ts';

/**
 * Holds a step that erases, powers off or changes firmware until it is approved, then until its windows are open, unless
 * it has begun, and at last until the host has its places in all budgets. An approval names one code, so a changed spec
 * needs another approval. A rejected step is held, whether it needs approval or not.
 */
export function gated(memory: HostMemory, step: HostStep, now: number): HostStep {
  if (step.kind === 'wait') return resting(memory, step);
  const { annotations } = memory.seen;
  if (!isGuarding(annotations) && answer(memory, 'rejected') === undefined) return passed(memory, step);
  const guarded = guardedBy(memory, step);
  // A short step in between: the host keeps its approval and its places.
  if (guarded === undefined) return step.kind === 'become' || step.kind === 'run' ? passed(memory, step) : step;
  const { code, does } = guarded;
  const of = neededBy(annotations, guarded.kinds);
  const isRejected = answer(memory, 'rejected')?.code === code;
  if ((of.length > 0 || isRejected) && answer(memory, 'given')?.code !== code)
    return held(memory, { for: 'approval', code, does, of });
  const windows = isBegun(memory, step, code) ? [] : windowsOf(annotations);
  const closed = windows.map(({ of: source, text }) => `${text} of ${source}`);
  const opening = openingOf(memory, { for: 'window', code, does, of: closed }, windows, now);
  return opening === 'now' ? inTurn(memory, step, guarded, now) : held(memory, opening);
}

/** Requests the host's places in the budgets, and lets the step go on when it has them. */
function inTurn(memory: HostMemory, step: HostStep, guarded: Guarded, now: number): HostStep {
  const { does } = guarded;
  const { kinds, code } = countedAs(memory, guarded);
  const unreadable = unreadableBudgets(memory.seen.annotations);
  if (unreadable.length > 0) return held(memory, { for: 'budget', code, does, of: unreadable });
  const needs = needsOf(memory.seen, kinds);
  const turn = needs.length === 0 ? 'now' : turnOf(memory, { code, needs }, now);
  if (turn === 'now') return passed(memory, step);
  if (turn !== 'later') return turn;
  const of = needs.map(({ budget, limit }) => `${limit} of ${budget}`);
  const waiting = held(memory, { for: 'budget', code, does, of });
  return waiting.kind === 'wait' ? { ...waiting, until: askedAgainAt(memory), inLine: true } : waiting;
}

/** The answer on the object, unless a step has used it. */
function answer({ seen, consumedAnnotations }: HostMemory, name: 'given' | 'rejected'): Answer | undefined {
  const key = APPROVAL_ANNOTATIONS[name];
  return consumedAnnotations.includes(key) ? undefined : answerIn(seen.annotations[key]);
}

/**
 * Until when the host waits for its windows. The search is long: a host that waits already does not repeat it, unless
 * its time was found with a clock that was ahead.
 */
function openingOf(
  { awaits: known }: HostMemory,
  awaits: Awaited & { readonly for: 'window' },
  windows: readonly SaidWindow[],
  now: number,
): Awaited | 'now' {
  if (windows.length === 0) return 'now';
  const { until = now, foundAt = now, isClosedUntil: _, ...wait } = known ?? awaits;
  if (known !== undefined && now < until && same(wait, awaits) && believed(foundAt, now) === foundAt) return known;
  const readable = windows.flatMap(({ window }) => (window === undefined ? [] : [window]));
  if (readable.length < windows.length) return awaits;
  const opening = allOpenAt(readable, now);
  if (opening === undefined) return awaits;
  if ('closedUntil' in opening) return { ...awaits, until: opening.closedUntil, foundAt: now, isClosedUntil: true };
  return opening.opensAt === now ? 'now' : { ...awaits, until: opening.opensAt, foundAt: now };
}

/** The step that the host holds at the moment, for people. */
export const heldNow = (memory: HostMemory): Wait | undefined => memory.awaits && inWords(memory, memory.awaits);

const inWords = (memory: HostMemory, awaits: Awaited): Wait =>
  heldStep(awaits, answer(memory, 'rejected'), obstacleOf(memory));

function obstacleOf({ place, seen }: HostMemory): Parameters<typeof heldStep>[2] {
  if (unreadableBudgets(seen.annotations).length > 0) return 'unreadable';
  return place?.state === 'refused' ? { waiting: place.waiting ?? 0 } : place?.waitsFor;
}

/** Records once, with an Event, what the host waits for, and then waits. */
function held(memory: HostMemory, awaits: Awaited): HostStep {
  const { reason, words, cause } = inWords(memory, awaits);
  if (!same(memory.awaits, awaits)) return { kind: 'note', memory: withEvent({ ...memory, awaits }, reason, words) };
  const { until } = awaits;
  return { kind: 'wait', reason: words, cause, ...(until !== undefined && { until }) };
}

function passed(memory: HostMemory, step: HostStep): HostStep {
  const left = withoutAwaited(memory);
  return left === memory ? step : { kind: 'note', memory: left };
}

function withoutAwaited(memory: HostMemory): HostMemory {
  if (memory.awaits === undefined) return memory;
  const { awaits: _, ...rest } = memory;
  return rest;
}

/** A host that is as desired needs no approval: an answer that no step has used is removed. */
function resting(memory: HostMemory, step: HostStep & { readonly kind: 'wait' }): HostStep {
  const { status, retry } = memory;
  if (step.quiet === true || retry !== null || !isAtRest(status.provisioning.state)) return step;
  const { given, rejected } = APPROVAL_ANNOTATIONS;
  const settled = withSpent(withSpent(withoutAwaited(memory), given), rejected);
  return settled === memory ? step : { kind: 'note', memory: settled };
}
