import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { LOCKS, type LockName } from '../../domain/lock/policy.ts';
import { isSignalled } from '../life/signal-run.ts';
import { placeAsked, placesReturned } from '../lock/messages.ts';
import { requests } from '../proxies.ts';

/** Sends a host's request to the run of the lock. An activity starts that run where there is none. */
export async function askForPlace(lock: LockName, request: PlaceRequest, summary: string): Promise<void> {
  if (await isSignalled(LOCKS[lock].workflowId, placeAsked, request)) return;
  await requests(summary).askForPlace({ lock, request });
}

/** Without a run of the lock there is nothing to return places to. */
export async function returnPlaces(lock: LockName, tickets: readonly string[]): Promise<void> {
  await isSignalled(LOCKS[lock].workflowId, placesReturned, tickets);
}
