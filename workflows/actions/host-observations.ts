import { slotAnswered as withSlotAnswer } from '../../domain/host/capacity/slot-record.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { nodeObserved as withObservation } from '../../domain/host/memory/node-observed.ts';
import { nodeObservation, slotAnswer } from '../../domain/host/message-shapes.ts';
import { nodeObserved, slotAnswered } from '../kinds/messages.ts';
import type { Listening } from '../life/listening.ts';

/** What becomes known of a host elsewhere than in its BareMetalHost. */
export function listenForObservations({ signal, known, take }: Listening<HostMemory>): void {
  signal(nodeObserved, {
    description: 'The node as it was seen in Ironic while nothing was asked of it; sent by the bridge',
    shape: nodeObservation,
    hear(observation) {
      const host = known();
      // The running task changes the node too: its result is recorded when it ends.
      if (host !== undefined && !host.isBusy) take(withObservation(host.memory, observation));
    },
  });
  signal(slotAnswered, {
    description: 'A slot in Ironic, or how many are ahead; sent by the workflow that hands slots out',
    shape: slotAnswer,
    hear(answer) {
      const host = known();
      if (host !== undefined) take(withSlotAnswer(host.memory, answer));
    },
  });
}
