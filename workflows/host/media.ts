import type { Outcome } from '../../domain/host/step.ts';
import type { MediaOrder } from '../../domain/ironic/orders.ts';
import { ironic } from '../proxies.ts';
import { waitForNode } from './drive.ts';

/** Taking the old medium out, putting the new one in, and seeing that it is there. */
const ROUNDS = 3;

/** Brings the virtual drive to what is wanted, or looks into it. A failure tells what is in it all the same. */
export async function changeMedia(order: MediaOrder, summary: string): Promise<Outcome> {
  let drive = order;
  for (let round = 1; ; round++) {
    const answer = await ironic(summary).changeMedia(drive);
    switch (answer.kind) {
      case 'lost':
      case 'done':
        return answer;
      case 'failed':
        // What was asked for and is not there has not happened.
        return {
          ...answer,
          attached: drive.asked === 'attach' ? '' : drive.asked === 'detach' ? order.attached : drive.attached,
        };
      case 'started': {
        const { asked } = answer;
        if (round > ROUNDS) return { kind: 'failed', message: 'Ironic changes the virtual drive back and forth' };
        drive = { ...drive, asked, attached: asked === 'attach' ? (order.wanted ?? '') : '' };
        const node = await waitForNode(order, 'free', 'Wait until the virtual drive is changed');
        if (node === null) return { kind: 'lost' };
      }
    }
  }
}
