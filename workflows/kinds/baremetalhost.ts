import { hostEntity } from '../../domain/host/entity.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { perform } from '../actions/host.ts';
import { listenForClaims } from '../actions/host-claims.ts';
import { listenForObservations } from '../actions/host-observations.ts';
import { listenForHostSteering } from '../actions/host-steering.ts';
import { withTicket } from '../actions/place-ticket.ts';
import { type EntityStart, live } from '../life/live.ts';

/** One bare-metal host, alive as long as its BareMetalHost. Knows Secrets by name and version only. */
export const hostWorkflow = (start: EntityStart<HostMemory>): Promise<void> =>
  live(
    {
      kind: 'BareMetalHost',
      entity: hostEntity,
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
