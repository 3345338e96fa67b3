import { ageOf } from '../../clock.ts';
import type { Need } from '../../lock/lock.ts';
import { same } from '../../same.ts';
import { traitsOf } from '../../states/table.ts';
import { stepOf } from '../../steering/code.ts';
import { isBetweenAttempts, isToBeDeployed } from '../desired/to-be-deployed.ts';
import { hostRef } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isUnderway } from '../memory/place-record.ts';
import type { HostStep } from '../step.ts';
import { type Guarded, provisioning } from './guarded.ts';
import { guardedBy } from './guarded-step.ts';

/** A waiting host repeats its request after this time, because the run of budgets may have lost it. */
const ASK_AGAIN_MS = 10 * 60_000;
const ANSWERED_SOON_MS = 2_000;

interface PlaceAsked {
  readonly code: string;
  readonly needs: readonly Need[];
}

/** `now`: the host has the places that this step needs. `later`: it waits for them. A step: it must be done first. */
export function turnOf(memory: HostMemory, asked: PlaceAsked, now: number): HostStep | 'now' | 'later' {
  const { code, needs } = asked;
  const { place } = memory;
  const isOfStep = place?.code === code || isUnderway(memory) || hasPlaceForNext(memory);
  if (place?.state === 'granted' && isOfStep) {
    const isKnown = place.code === code && same(namesOf(place.needs), namesOf(needs));
    return isKnown ? 'now' : ask(memory, asked, now);
  }
  if (place !== undefined && place.code !== code) return returning(memory, [place.ticket]);
  if (place === undefined || !same(place.needs, needs) || ageOf(place.requestedAt, now) >= ASK_AGAIN_MS)
    return ask(memory, asked, now);
  if (place.state === 'queued' || place.state === 'refused') return 'later';
  const soon = place.requestedAt + ANSWERED_SOON_MS;
  const reason = 'asking whether it is its turn in a budget';
  // Most answers come at once: until then nothing is shown, because it would soon be outdated.
  return now < soon
    ? { kind: 'wait', reason, until: soon, quiet: true, inLine: true }
    : { kind: 'wait', reason, until: askedAgainAt(memory), inLine: true };
}

const namesOf = (needs: readonly Need[]): readonly string[] => needs.map(({ budget }) => budget);

export const askedAgainAt = ({ place }: HostMemory): number => (place?.requestedAt ?? 0) + ASK_AGAIN_MS;

/**
 * Asks for the places of a step. Before it has begun, the places that the host has are no places in other budgets: it
 * asks for all of them with a new ticket, with which the run of budgets frees the old ones. A run that has lost its
 * memory does not know the budgets of its places, but the run of budgets does.
 */
function ask(memory: HostMemory, asked: PlaceAsked, now: number): HostStep {
  const { place } = memory;
  const isOther = !isUnderway(memory) && place !== undefined && !hasAll(place.needs, asked.needs);
  const ticket = isOther ? '' : (place?.ticket ?? '');
  const underway = isUnderway(memory) || (!isOther && hasPlaceForNext(memory));
  const isForgotten = !isUnderway(memory) && hasForgotten(memory);
  const order = {
    lock: 'budgets' as const,
    host: hostRef(memory),
    ticket,
    ...asked,
    underway,
    ...(isForgotten && { isForgotten }),
    requestedAt: now,
  };
  return { kind: 'act', action: { name: 'ask for place', order } };
}

const hasAll = (had: readonly Need[], needed: readonly Need[]): boolean =>
  namesOf(needed).every((name) => namesOf(had).includes(name));

/** The run knows of no place between two attempts, or was told of one but not of its budgets. */
const hasForgotten = (memory: HostMemory): boolean =>
  memory.place === undefined ? isBetweenAttempts(memory) : memory.place.needs.length === 0;

/** Returns places at the end of their step, or when the host no longer waits for them. */
export function withPlace(memory: HostMemory, step: HostStep): HostStep {
  const { place, placesToReturn = [] } = memory;
  if (placesToReturn.length > 0) return returning(memory, placesToReturn);
  return place === undefined || isKept(memory, place, step) ? step : returning(memory, [place.ticket]);
}

/** A host that has a place for its next deployment, or waits for it, builds the volumes for it in that place. */
export function countedAs(memory: HostMemory, guarded: Guarded): Pick<Guarded, 'kinds' | 'code'> {
  if (!isPreparing(memory) || !isPlaceForNext(memory)) return guarded;
  const { kinds, code } = provisioning(memory);
  return { kinds: [...new Set([...kinds, ...guarded.kinds])], code };
}

/**
 * The host keeps its place until it is deployed, because its server is out of use: its last image was removed for the
 * next one, or a deployment that it still asks for has failed.
 */
const hasPlaceForNext = (memory: HostMemory): boolean => memory.place?.state === 'granted' && isPlaceForNext(memory);

function isPlaceForNext(memory: HostMemory): boolean {
  const { place } = memory;
  if (place === undefined || !isToBeDeployed(memory)) return false;
  if (stepOf(place.code) === 'deprovision') return true;
  return (isPreparing(memory) || isBetweenAttempts(memory)) && place.code === provisioning(memory).code;
}

function isKept(memory: HostMemory, { state, code }: NonNullable<HostMemory['place']>, step: HostStep): boolean {
  switch (step.kind) {
    // Short steps before the one that needs the places, or within it.
    case 'act':
    case 'note':
    case 'show':
      return true;
    case 'gone':
      return false;
    case 'wait':
      return step.inLine === true || (state === 'granted' && (isAmidst(memory) || hasPlaceForNext(memory)));
    case 'become':
    case 'run':
      if (state !== 'granted') return false;
      return isAmidst(memory) || hasPlaceForNext(memory) || guardedBy(memory, step)?.code === code;
  }
}

const isPreparing = ({ status }: HostMemory): boolean => traitsOf(status.provisioning.state).work === 'prepare';

/** A step has begun, also between its attempts. */
const isAmidst = ({ status }: HostMemory): boolean => traitsOf(status.provisioning.state).operation.hasBegun !== 'no';

const returning = (memory: HostMemory, tickets: readonly string[]): HostStep => ({
  kind: 'act',
  action: { name: 'return place', order: { lock: 'budgets', host: hostRef(memory), tickets } },
});
