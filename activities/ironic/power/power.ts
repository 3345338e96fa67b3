import type { MarkedRequest } from '../../../domain/ironic/mark.ts';
import { type PowerMove, type PowerTarget, powerFailure, powerMove } from '../../../domain/ironic/moves/power.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import type { IronicAnswer, PowerOrder } from '../../../domain/ironic/orders.ts';
import { isIronicRefusal, isNodeGone, nodeBusy } from '../client/errors.ts';
import type { Tools } from '../tools.ts';
import { inTurn, type NodeTurn } from '../turn.ts';

/** Seconds that a system has for its shutdown. */
const SHUTDOWN = 180;

/** Requests a power change, unless the power is already as desired or changing to it. */
export function setPower(tools: Tools, order: PowerOrder): Promise<IronicAnswer> {
  const { on, mode, rebootFor, cleaningDisabled = false } = order;
  const asked = { on, mode, reboot: rebootFor !== undefined, cleaningDisabled };
  return inTurn(tools, { host: order.host, urgency: on ? 'usual' : 'first' }, async (turn) => {
    const found = await turn.look(order.nodeId);
    if (found === undefined) return { kind: 'lost' };
    const wish = { ...asked, neverOff: found.disable_power_off === true, pending: pendingPower(found) };
    const node = nodeFacts(found);
    return act(tools, turn, order, node, powerMove(node, wish));
  });
}

function pendingPower({ target_power_state: target }: NodeJson): 'on' | 'off' | null {
  if (target === null || target === '') return null;
  return target.includes('off') ? 'off' : 'on';
}

async function act(
  tools: Tools,
  turn: NodeTurn,
  order: PowerOrder,
  node: IronicNode,
  move: PowerMove,
): Promise<IronicAnswer> {
  const { client } = tools;
  const verb = order.on ? 'switch on' : 'switch off';
  switch (move.kind) {
    case 'done':
      return { kind: 'done', node };
    case 'wait':
      return { kind: 'started', node };
    case 'later':
      throw nodeBusy(node.id, verb, move.because);
    case 'abort':
      await turn.send(node.id, (change) => client.setProvisionState(node.id, 'abort', {}, change));
      throw nodeBusy(node.id, verb, 'an operation that waits for its agent is being aborted');
    case 'set':
      try {
        await request(tools, turn, node.id, move.target);
        return { kind: 'started', node: { ...node, powerPending: true, lastError: null } };
      } catch (error) {
        if (isNodeGone(error)) return { kind: 'lost' };
        if (!isIronicRefusal(error)) throw error;
        return { kind: 'failed', message: powerFailure(order, error.said), node };
      }
  }
}

const MARKS: Readonly<Record<PowerTarget, MarkedRequest>> = {
  'power on': 'power on',
  'power off': 'power off',
  'soft power off': 'power off',
  rebooting: 'reboot',
  'soft rebooting': 'reboot',
};

/** A server that does not support a soft shutdown is powered off. */
async function request({ client }: Tools, turn: NodeTurn, nodeId: string, target: PowerTarget): Promise<void> {
  const soft = target === 'soft power off' || target === 'soft rebooting';
  const send = (wanted: PowerTarget, timeout?: number): Promise<void> =>
    turn.send(nodeId, (change) => client.setPower(nodeId, wanted, timeout, change), MARKS[wanted]);
  try {
    await send(target, soft ? SHUTDOWN : undefined);
  } catch (error) {
    if (!soft || !isIronicRefusal(error, 400)) throw error;
    await send(target === 'soft power off' ? 'power off' : 'rebooting');
  }
}
