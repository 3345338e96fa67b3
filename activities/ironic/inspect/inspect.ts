import { parseBmcAddress } from '../../../domain/bmc/address.ts';
import { believed } from '../../../domain/clock.ts';
import { detailsFromInventory } from '../../../domain/hardware/details.ts';
import { inspectInterface, inspectionChanges } from '../../../domain/ironic/desired-node.ts';
import { inspectMove } from '../../../domain/ironic/moves/inspect.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import type { HostRef, InspectOrder, InventoryAnswer, IronicAnswer } from '../../../domain/ironic/orders.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { IronicError, nodeBusy } from '../client/errors.ts';
import { addPorts, wantedPorts } from '../enroll/ports.ts';
import { answerTo, type Tools } from '../tools.ts';
import { inTurn, patched } from '../turn.ts';

/** Starts an inspection unless Ironic has a sufficient inventory already. */
export async function startInspection(tools: Tools, order: InspectOrder): Promise<IronicAnswer> {
  const { settings } = tools;
  const parsed = parseBmcAddress(order.bmc.address, { fakeHardware: settings.allowFakeHardware });
  if (parsed.kind === 'invalid') return { kind: 'failed', message: parsed.message };
  const force = (order.forcedBy ?? []).length > 0;
  return inTurn(tools, { host: order.host }, async (turn) => {
    const found = await turn.look(order.nodeId);
    if (found === undefined) return { kind: 'lost' };
    const node = nodeFacts(found);
    const satisfied = await isSatisfied(tools, order, found);
    const wanted = inspectInterface(order, parsed.address);
    const changes = inspectionChanges(found, order, wanted, order.architecture ?? settings.defaultArchitecture);
    const request = requestFor(tools, turn, node.id);
    if (force && node.state === 'inspecting')
      throw nodeBusy(node.id, 'start a new inspection of', 'it can be aborted only while it waits for its agent');
    try {
      return await carryOut(tools, node, inspectMove(node, { retry: order.retry, satisfied, force }), async (step) => {
        // `inspect_interface` can be changed only now: the steps before have brought the node to `manageable`.
        if (step === 'inspect') await patched(tools, turn, found, changes);
        await request(step);
      });
    } catch (error) {
      return answerTo(error, node);
    }
  });
}

/** An old inventory is sufficient unless a new one was requested; one created for this order is new. */
async function isSatisfied({ client, call }: Tools, order: InspectOrder, node: NodeJson): Promise<boolean> {
  const finished = node.inspection_finished_at;
  if (finished === null || !['manageable', 'available'].includes(node.provision_state)) return false;
  if (order.refresh) return call.attempt > 1 && believed(Date.parse(finished), Date.now()) >= call.askedAt;
  if (node.inspect_interface === 'fake') return true;
  return (await client.inventory(node.uuid, { signal: call.signal })) !== undefined;
}

/** Reads the result of the inspection, stores it as HardwareData, and adds ports that Ironic has not created. */
export async function saveInventory(
  tools: Tools,
  { host, nodeId }: Pick<InspectOrder, 'host' | 'nodeId'>,
): Promise<InventoryAnswer> {
  const { client, hostData, poller, call } = tools;
  // A node of the last list is known to be of this host.
  const listed = poller.recent(nodeId);
  if (listed === undefined) await mustBeKnown(tools, nodeId);
  const [found, existing] = await Promise.all([
    client.inventory(nodeId, { signal: call.signal }),
    client.portsOfNode(nodeId, { signal: call.signal }),
  ]);
  if (found === undefined) return saveWithoutInventory(tools, host, await mustBeKnown(tools, nodeId));
  const hardware = detailsFromInventory(found.inventory, found.plugins);
  await hostData.saveHardware(host, hardware);
  const wanted = wantedPorts('', hardware);
  const isComplete = wanted.every(({ address }) => existing.some((port) => port.address === address));
  const conflict = isComplete
    ? undefined
    : await inTurn(tools, { host }, (turn) => addPorts(tools, turn, nodeId, wanted, existing));
  if (conflict !== undefined) {
    const said = `MAC address ${conflict.address} conflicts with existing node ${conflict.nodeId}`;
    throw new IronicError({ type: 'IronicRefused', status: 409, said, message: said });
  }
  return { architecture: hardware.cpu?.arch ?? '', hostname: hardware.hostname ?? '' };
}

/** The node as Ironic knows it. */
async function mustBeKnown({ client, call }: Tools, nodeId: string): Promise<NodeJson> {
  const node = await client.getNode(nodeId, { signal: call.signal });
  if (node === undefined) throw noInventory(nodeId, 'Ironic does not know the node');
  return node;
}

/** A node without a server has no inventory; for any other node a missing inventory is an error. */
async function saveWithoutInventory({ hostData }: Tools, host: HostRef, node: NodeJson): Promise<InventoryAnswer> {
  if (node.inspect_interface !== 'fake') throw noInventory(node.uuid, 'Ironic has no inventory of the node');
  const arch = node.properties['cpu_arch'];
  const architecture = typeof arch === 'string' ? arch : '';
  await hostData.saveHardware(host, { ...detailsFromInventory({ cpu: { architecture }, hostname: host.name }, {}) });
  return { architecture, hostname: host.name };
}

const noInventory = (nodeId: string, said: string): IronicError =>
  new IronicError({
    type: 'IronicRefused',
    status: 404,
    said,
    message: `can't read the inventory of node ${nodeId}: ${said}`,
  });
