import type { Obstacle, PlaceNews } from '../../lock/answers.ts';
import { shortName } from '../../lock/marks.ts';
import type { LockName } from '../../lock/policy.ts';
import { traitsOf } from '../../states/table.ts';
import { isBetweenAttempts } from '../desired/to-be-deployed.ts';
import type { HostMemory, Place } from '../memory/memory.ts';
import { isUnderway, turnIn, withTurn } from '../memory/place-record.ts';
import { provisioning } from './guarded.ts';

/** The answer of a lock. */
export type PlaceAnswer = PlaceNews & { readonly lock: LockName };

/** The code of a place whose step the run has forgotten. The host asks with the right code before it goes on. */
const UNKNOWN_CODE = '';

/** Takes in an answer; places that are no longer needed are marked for return. */
export function withPlaceAnswered(memory: HostMemory, answer: PlaceAnswer): HostMemory {
  const { lock, ticket } = answer;
  const { place, unwanted = [] } = turnIn(memory, lock);
  if (place?.ticket !== ticket) {
    if (answer.kind !== 'granted' || unwanted.includes(ticket)) return memory;
    const found = lock === 'budgets' ? foundAgain(memory, ticket) : undefined;
    if (found !== undefined) return { ...memory, place: found };
    return withTurn(memory, lock, { ...(place && { place }), unwanted: [...unwanted, ticket] });
  }
  // A granted place is not revoked.
  if (place.state === 'granted') return memory;
  const { waitsFor: _, waiting: __, ...asked } = place;
  return withTurn(memory, lock, { place: { ...asked, ...whatOf(answer, place) }, unwanted });
}

function whatOf(answer: PlaceNews, { needs }: Place): Pick<Place, 'state' | 'waitsFor' | 'waiting'> {
  switch (answer.kind) {
    case 'granted':
      return { state: 'granted' };
    case 'refused':
      return { state: 'refused', waiting: answer.waiting };
    case 'queued':
      return { state: 'queued', waitsFor: named(answer.waitsFor, needs) };
  }
}

/** With the budget's name, of which the lock may have only what stands for it. */
function named(obstacle: Obstacle, needs: Place['needs']): Obstacle {
  const need = needs.find(({ budget }) => budget === obstacle.budget || shortName(budget) === obstacle.budget);
  return need === undefined ? obstacle : { ...obstacle, budget: need.budget };
}

/**
 * The place of a host that knows no such ticket: the run of budgets was lost, or this run was. The run of budgets has
 * read the host's places from its object.
 */
function foundAgain(memory: HostMemory, ticket: string): Place | undefined {
  const { place } = memory;
  if (place?.state === 'granted') return { ...place, ticket };
  if (place !== undefined) return undefined;
  const isAmidst = isUnderway(memory) || isBetweenAttempts(memory);
  return isAmidst ? { ticket, code: forgottenCode(memory), needs: [], requestedAt: 0, state: 'granted' } : undefined;
}

/** A host that cleans up after a failed attempt has its place for the deployment. */
const forgottenCode = (memory: HostMemory): string =>
  traitsOf(memory.status.provisioning.state).work === 'deprovision' && memory.status.provisioningFailCount === 0
    ? UNKNOWN_CODE
    : provisioning(memory).code;
