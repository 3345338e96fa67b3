import { type IronicNode, isBusy } from '../../domain/ironic/node/node.ts';
import type { WaitAnswer, WaitOrder } from '../../domain/ironic/orders.ts';
import type { Tools } from './tools.ts';

/** Lists of a node with the wrong power, no pending change and no error, before this counts as final. */
const LOOKS = 3;

/** Waits until the node is in the requested state; reads only the poller's lists. */
export const waitForNode = ({ poller, call }: Tools, order: WaitOrder): Promise<WaitAnswer> =>
  poller.waitFor(order.nodeId, arrival(order.until), call.signal);

/** True for the requested state; an unknown node ends every wait. */
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

/** Ironic marks a power change as pending before it answers the request; a remaining error means that it failed. */
function powerSettled(wanted: boolean): (node: IronicNode | null) => boolean {
  let looks = 0;
  return (node) => {
    if (node === null) return true;
    if (node.powerPending) return false;
    looks++;
    return node.poweredOn === wanted || node.lastError !== null || looks >= LOOKS;
  };
}
