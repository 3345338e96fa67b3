import { type PowerMove, type PowerTarget, powerFailure, powerMove } from '../../../domain/ironic/moves/power.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import type { IronicAnswer, PowerOrder } from '../../../domain/ironic/orders.ts';
import { IronicError, isIronicRefusal, nodeBusy } from '../client/errors.ts';
import { changing, type Tools } from '../tools.ts';

/** Seconds a system is given to shut itself down. */
const SHUTDOWN = 180;

/** Asks for the power to be changed, unless it is so or on its way. */
export async function setPower(tools: Tools, order: PowerOrder): Promise<IronicAnswer> {
  const { client, poller, call } = tools;
  const recent = poller.recent(order.nodeId);
  const { on, mode, rebootFor, cleaningDisabled = false } = order;
  const asked = { on, mode, reboot: rebootFor !== undefined, cleaningDisabled };
  // Switching on needs no more than the poller knows; what was seen to be so already is looked at once more.
  if (on && recent?.poweredOn === false && !recent.powerPending) {
    const move = powerMove(recent, { ...asked, neverOff: false, pending: null });
    if (move.kind === 'set') return act(tools, order, recent, move);
  }
  const askedAt = performance.now();
  const found = await client.getNode(order.nodeId, { signal: call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  poller.saw(node, askedAt);
  const wish = { ...asked, neverOff: found.disable_power_off === true, pending: pendingPower(found) };
  return act(tools, order, node, powerMove(node, wish));
}

function pendingPower({ target_power_state: target }: NodeJson): 'on' | 'off' | null {
  if (target === null || target === '') return null;
  return target.includes('off') ? 'off' : 'on';
}

async function act(tools: Tools, order: PowerOrder, node: IronicNode, move: PowerMove): Promise<IronicAnswer> {
  const { client, call } = tools;
  const verb = order.on ? 'switch on' : 'switch off';
  switch (move.kind) {
    case 'done':
      return { kind: 'done', node };
    case 'wait':
      return { kind: 'started', node };
    case 'later':
      throw nodeBusy(node.id, verb, move.because);
    case 'abort':
      await changing(tools, node.id, client.setProvisionState(node.id, 'abort', {}, { signal: call.signal }));
      throw nodeBusy(node.id, verb, 'what waits for its agent is just being ended');
    case 'set':
      try {
        await changing(tools, node.id, request(tools, node.id, move.target));
        return { kind: 'started', node: { ...node, powerPending: true, lastError: null } };
      } catch (error) {
        if (isIronicRefusal(error, 404)) return { kind: 'lost' };
        if (!(error instanceof IronicError) || error.type !== 'IronicRefused') throw error;
        return { kind: 'failed', message: powerFailure(order, error.said), node };
      }
  }
}

/** A machine that can't be shut down softly is switched off. */
async function request({ client, call }: Tools, nodeId: string, target: PowerTarget): Promise<void> {
  const soft = target === 'soft power off' || target === 'soft rebooting';
  try {
    await client.setPower(nodeId, target, soft ? SHUTDOWN : undefined, { signal: call.signal });
  } catch (error) {
    if (!soft || !isIronicRefusal(error, 400)) throw error;
    const hard = target === 'soft power off' ? 'power off' : 'rebooting';
    await client.setPower(nodeId, hard, undefined, { signal: call.signal });
  }
}
