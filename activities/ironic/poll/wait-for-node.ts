import { type IronicNode, isBusy } from '../../../domain/ironic/node/node.ts';
import type { WaitAnswer, WaitOrder } from '../../../domain/ironic/orders.ts';
import type { Tools } from '../tools.ts';

/** Looks at a node with the wrong power, no change pending and no error, after which it stays as it is. */
const LOOKS = 3;

/** Waits until the node is as asked; everything is read from the poller's lists. */
export const waitForNode = ({ poller, call }: Tools, order: WaitOrder): Promise<WaitAnswer> =>
  poller.waitFor(order.nodeId, arrival(order.until), call.signal);

/** True for what is waited for; an unknown node ends every wait. */
function arrival(until: WaitOrder['until']): (node: IronicNode | null) => boolean {
  switch (until) {
    case 'rest':
      return (node) => node === null || !isBusy(node.state);
    case 'free':
      return (node) => node?.locked !== true;
    case 'on':
    case 'off':
      return powerSettled(until === 'on');
  }
}

/** Ironic marks a change of power as pending before it answers the request; an error left over means it failed. */
function powerSettled(wanted: boolean): (node: IronicNode | null) => boolean {
  let looks = 0;
  return (node) => {
    if (node === null) return true;
    if (node.powerPending) return false;
    looks++;
    return node.poweredOn === wanted || node.lastError !== null || looks >= LOOKS;
  };
}
