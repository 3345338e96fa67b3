import { isBetweenAttempts } from '../desired/to-be-deployed.ts';
import type { HostMemory } from '../memory/memory.ts';
import { type PlaceAnswer, UNDERWAY } from '../memory/place-record.ts';
import { provisioning } from './guarded.ts';

/** The code of a place whose step the run has forgotten. The host asks with the right code before it goes on. */
const UNKNOWN_CODE = '';

/** Takes in an answer; places that are no longer needed are marked for return. */
export function withPlaceAnswered(memory: HostMemory, answer: PlaceAnswer): HostMemory {
  const { place, unwantedPlaces = [] } = memory;
  if (place?.ticket !== answer.ticket) {
    if (answer.kind === 'queued' || unwantedPlaces.includes(answer.ticket)) return memory;
    // The workflow of budgets was lost, or this run was. The budgets workflow has read the host's places from its
    // object.
    if (place?.state === 'granted') return { ...memory, place: { ...place, ticket: answer.ticket } };
    if (place === undefined && (UNDERWAY.includes(memory.status.provisioning.state) || isBetweenAttempts(memory)))
      return {
        ...memory,
        place: { ticket: answer.ticket, code: forgottenCode(memory), needs: [], askedAt: 0, state: 'granted' },
      };
    return { ...memory, unwantedPlaces: [...unwantedPlaces, answer.ticket] };
  }
  // A granted place is not revoked.
  if (place.state === 'granted') return memory;
  if (answer.kind === 'queued') return { ...memory, place: { ...place, state: 'queued', waitsFor: answer.waitsFor } };
  const { waitsFor: _, ...held } = place;
  return { ...memory, place: { ...held, state: 'granted' } };
}

/** A host that cleans up after a failed attempt has its place for the deployment. */
const forgottenCode = (memory: HostMemory): string =>
  memory.status.provisioning.state === 'deprovisioning' && memory.status.provisioningFailCount === 0
    ? UNKNOWN_CODE
    : provisioning(memory).code;
