import { type PowerMove, type PowerTarget, powerFailure, powerMove } from '../../../domain/ironic/moves/power.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import type { IronicAnswer, PowerOrder } from '../../../domain/ironic/orders.ts';
import { isIronicRefusal, nodeBusy } from '../client/errors.ts';
import { changing, type Tools } from '../tools.ts';

/** Seconds that a system has for its shutdown. */
const SHUTDOWN = 180;

/** Requests a power change, unless the power is already as desired or changing to it. */
export async function setPower(tools: Tools, order: PowerOrder): Promise<IronicAnswer> {
  const { client, poller, call } = tools;
  const recent = poller.recent(order.nodeId);
  const { on, mode, rebootFor, cleaningDisabled = false } = order;
  const asked = { on, mode, reboot: rebootFor !== undefined, cleaningDisabled };
  // For powering on, the poller's data is sufficient; when the power already looks as desired, the node is read again.
  if (on && recent?.poweredOn === false && !recent.powerPending) {
    const move = powerMove(recent, { ...asked, neverOff: false, pending: null });
    if (move.kind === 'set') return act(tools, order, recent, move);
  }
  const askedAt = performance.now();
  const found = await client.getNode(order.nodeId, { signal: call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  poller.saw(found, askedAt);
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
      throw nodeBusy(node.id, verb, 'an operation that waits for its agent is being aborted');
    case 'set':
      try {
        await changing(tools, node.id, request(tools, node.id, move.target));
        return { kind: 'started', node: { ...node, powerPending: true, lastError: null } };
      } catch (error) {
        if (isIronicRefusal(error, 404)) return { kind: 'lost' };
        if (!isIronicRefusal(error)) throw error;
        return { kind: 'failed', message: powerFailure(order, error.said), node };
      }
  }
}

/** A server that does not support a soft shutdown is powered off. */
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
