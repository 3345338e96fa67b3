import { withPlaceAnswered } from '../../domain/host/approval/place-answered.ts';
import type { HostMemory } from '../../domain/host/memory/memory.ts';
import { nodeObservation, placeAnswer, stuckObservation } from '../../domain/host/message-shapes.ts';
import { withNodeObserved } from '../../domain/host/outcome/node-observed.ts';
import type { CheckedMessages } from '../life/checked-messages.ts';
import { listAsStuck } from '../life/listing.ts';
import { nodeObserved, placeAnswered, stuckObserved } from '../messages.ts';

/** Signals that only hosts take: their Ironic node, slots, and places in budgets. */
export function listenForObservations({ signal, known, take }: CheckedMessages<HostMemory>): void {
  signal(nodeObserved, {
    description: 'The Ironic node as the bridge found it in the list of all nodes; ignored while a task runs',
    shape: nodeObservation,
    onSignal(observation) {
      const host = known();
      // The running task changes the node too: its result is recorded when it ends.
      if (host !== undefined && !host.isBusy) take(withNodeObserved(host.memory, observation));
    },
  });
  signal(stuckObserved, {
    description: 'The host is in this state for much longer than is usual; shown in lists of runs, and changes nothing',
    shape: stuckObservation,
    onSignal({ uid, state }) {
      const host = known();
      if (host?.uid === uid) listAsStuck(state);
    },
  });
  signal(placeAnswered, {
    description:
      'Gives the host a slot in Ironic, or its places in budgets, or says what it waits for; sent by the run of the lock',
    shape: placeAnswer,
    onSignal(answer) {
      const host = known();
      if (host !== undefined) take(withPlaceAnswered(host.memory, answer));
    },
  });
}
