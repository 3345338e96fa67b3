import { patched } from '@temporalio/workflow';
import { namesSameData } from '../../domain/host/desired/still-wanted.ts';
import { hostEntity, placeAskedBefore, stepBefore } from '../../domain/host/entity.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { listed as hostListing, listedBefore } from '../../domain/host/report/listed.ts';
import { same } from '../../domain/same.ts';
import { perform } from '../actions/host.ts';
import { listenForClaims } from '../actions/host-claims.ts';
import { listenForObservations } from '../actions/host-observations.ts';
import { listenForHostSteering } from '../actions/host-steering.ts';
import { withTicket } from '../actions/slot-ticket.ts';
import { type EntityStart, live } from '../life/live.ts';
import { PATCHES } from '../patches.ts';

/** Patches are asked for only where they matter, so that no other run has their markers. */
const nextStep: (typeof hostEntity)['nextStep'] = (memory, moment) => {
  const next = hostEntity.nextStep(memory, moment);
  const asked = placeAskedBefore(memory, next);
  const step = asked === undefined || patched(PATCHES.forgottenPlaces) ? next : asked;
  const before = stepBefore(memory, moment);
  return before === undefined || same(step, before) || patched(PATCHES.heldSteps) ? step : before;
};

const stillWanted: NonNullable<(typeof hostEntity)['stillWanted']> = (memory, task) =>
  hostEntity.stillWanted?.(memory, task) !== false && (namesSameData(memory, task) || patched(PATCHES.keptDeployments));

const listed: NonNullable<(typeof hostEntity)['listed']> = (memory) => {
  const now = hostListing(memory);
  const before = listedBefore(memory);
  return same(now, before) || patched(PATCHES.listedHolds) ? now : before;
};

/** One bare-metal host, alive as long as its BareMetalHost. Knows Secrets by name and version only. */
export const hostWorkflow = (start: EntityStart<HostMemory>): Promise<void> =>
  live(
    {
      kind: 'BareMetalHost',
      entity: { ...hostEntity, nextStep, stillWanted, listed },
      perform,
      withDrawn: withTicket,
      handleOwnMessages(messages) {
        listenForObservations(messages);
        listenForClaims(messages);
        listenForHostSteering(messages);
      },
    },
    start,
  );
