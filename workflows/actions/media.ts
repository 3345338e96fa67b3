import type { HostOutcome } from '../../domain/host/step.ts';
import type { MediaOrder } from '../../domain/ironic/orders.ts';
import { waitForIronic } from '../operations/drive.ts';
import { ironic } from '../proxies.ts';

/** Three: eject the old image, insert the new one, read the drive. */
const ROUNDS = 3;

/** Brings the virtual drive to the desired state, or reads it. A failure also reports the content of the drive. */
export async function applyMedia(order: MediaOrder, summary: string): Promise<HostOutcome> {
  let drive = order;
  for (let round = 1; ; round++) {
    const answer = await ironic(summary).changeMedia(drive);
    switch (answer.kind) {
      case 'lost':
      case 'done':
        return answer;
      case 'failed':
        // A requested image that is not in the drive was not inserted.
        return {
          ...answer,
          attached: drive.asked === 'attach' ? '' : drive.asked === 'detach' ? order.attached : drive.attached,
        };
      case 'started': {
        const { asked } = answer;
        if (round > ROUNDS)
          return { kind: 'failed', message: 'The virtual drive did not reach the desired state in several attempts' };
        drive = { ...drive, asked, attached: asked === 'attach' ? (order.wanted ?? '') : '' };
        const node = await waitForIronic(order, 'free', 'Wait until the virtual drive is changed');
        if (node === null) return { kind: 'lost' };
      }
    }
  }
}
