import type { AskForPlaceOrder, ReturnPlaceOrder } from '../../ironic/orders.ts';
import { LOCK_NAMES, type LockName } from '../../lock/policy.ts';
import { traitsOf } from '../../states/table.ts';
import type { HostMemory, Place } from './memory.ts';

/** A step that needs a place has begun. */
export const isUnderway = ({ status }: Pick<HostMemory, 'status'>): boolean =>
  traitsOf(status.provisioning.state).operation.hasBegun === 'yes';

/** What a host has, or asks for, in one lock. */
interface Turn {
  readonly place?: Place;
  /** Tickets to return. */
  readonly unwanted?: readonly string[];
}

export function turnIn(memory: HostMemory, lock: LockName): Turn {
  const [place, unwanted] =
    lock === 'slots' ? [memory.slot, memory.slotsToReturn] : [memory.place, memory.placesToReturn];
  return { ...(place !== undefined && { place }), ...(unwanted !== undefined && { unwanted }) };
}

export function withTurn(memory: HostMemory, lock: LockName, { place, unwanted = [] }: Turn): HostMemory {
  if (lock === 'slots') {
    const { slot: _, slotsToReturn: __, ...rest } = memory;
    return { ...rest, ...(place && { slot: place }), ...(unwanted.length > 0 && { slotsToReturn: unwanted }) };
  }
  const { place: _, placesToReturn: __, ...rest } = memory;
  return { ...rest, ...(place && { place }), ...(unwanted.length > 0 && { placesToReturn: unwanted }) };
}

/**
 * Records the request before it is sent, so that its answer is recognised. A repeated one, with the same ticket, keeps
 * what was answered.
 */
export function withPlaceAsked(memory: HostMemory, order: AskForPlaceOrder): HostMemory {
  const { lock, ticket, code, needs, requestedAt } = order;
  const { place: known, unwanted = [] } = turnIn(memory, lock);
  const { state = 'requested', waitsFor, waiting } = known?.ticket === ticket ? known : {};
  const place: Place = {
    ticket,
    code,
    needs,
    requestedAt,
    state,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(waiting !== undefined && { waiting }),
  };
  return withTurn(memory, lock, { place, unwanted });
}

/** Gives up requests: a late answer for these tickets is ignored. */
export function placesGivenUp(memory: HostMemory, { lock, tickets }: ReturnPlaceOrder): HostMemory {
  const { place } = turnIn(memory, lock);
  const keeps = place !== undefined && !tickets.includes(place.ticket);
  return withTurn(memory, lock, { ...(keeps && { place }), unwanted: tickets });
}

/** Records that these tickets were returned. */
export function withPlacesReturned(memory: HostMemory, { lock, tickets }: ReturnPlaceOrder): HostMemory {
  const { unwanted = [], ...rest } = turnIn(memory, lock);
  return withTurn(memory, lock, { ...rest, unwanted: unwanted.filter((ticket) => !tickets.includes(ticket)) });
}

/** The places that a recreated host returns for its predecessor. */
export const withInheritedPlaces = (memory: HostMemory, predecessor: HostMemory): HostMemory =>
  LOCK_NAMES.reduce((host, lock) => {
    const { place, unwanted = [] } = turnIn(predecessor, lock);
    return withTurn(host, lock, { unwanted: place === undefined ? unwanted : [...unwanted, place.ticket] });
  }, memory);
