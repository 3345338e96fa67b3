import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { Obstacle } from '../../budgets/budgets.ts';
import type { AskForPlaceOrder } from '../../ironic/orders.ts';
import type { HostMemory } from './memory.ts';

/** The answer of the workflow of budgets. */
export type PlaceAnswer =
  | { readonly kind: 'granted'; readonly ticket: string }
  | { readonly kind: 'queued'; readonly ticket: string; readonly waitsFor: Obstacle };

/** States in which a step that needs a place has begun. */
export const UNDERWAY: readonly ProvisioningState[] = ['provisioning', 'deprovisioning'];

/**
 * Records the request before it is sent, so that its answer is recognised. A repeated one, with the same ticket, keeps
 * what was answered.
 */
export function withPlaceAsked(memory: HostMemory, { ticket, code, needs, askedAt }: AskForPlaceOrder): HostMemory {
  const { state = 'asked', waitsFor } = memory.place?.ticket === ticket ? memory.place : {};
  return { ...memory, place: { ticket, code, needs, askedAt, state, ...(waitsFor !== undefined && { waitsFor }) } };
}

/** Gives up requests: a late answer for these tickets is ignored. */
export function placesGivenUp(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { place, unwantedPlaces: _, ...rest } = memory;
  const keeps = place !== undefined && !tickets.includes(place.ticket);
  return { ...rest, ...(keeps && { place }), unwantedPlaces: tickets };
}

/** Records that these tickets were returned. */
export function withPlacesReturned(memory: HostMemory, tickets: readonly string[]): HostMemory {
  const { unwantedPlaces = [], ...rest } = memory;
  const left = unwantedPlaces.filter((ticket) => !tickets.includes(ticket));
  return left.length === 0 ? rest : { ...rest, unwantedPlaces: left };
}

/** The places that a recreated host returns for its predecessor. */
export const inheritedPlaces = ({ place, unwantedPlaces = [] }: HostMemory): Pick<HostMemory, 'unwantedPlaces'> => {
  const tickets = place === undefined ? unwantedPlaces : [...unwantedPlaces, place.ticket];
  return tickets.length === 0 ? {} : { unwantedPlaces: tickets };
};
