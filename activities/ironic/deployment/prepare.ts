import { parseBmcAddress } from '../../../domain/bmc/address.ts';
import { cleanSteps } from '../../../domain/ironic/clean/machine-change.ts';
import { logicalDisks, type RaidChange, raidInterface, raidProblem } from '../../../domain/ironic/clean/raid.ts';
import { markRunning, prepareMove } from '../../../domain/ironic/moves/prepare.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import type { IronicAnswer, PrepareOrder } from '../../../domain/ironic/orders.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import { answerTo, type Tools } from '../tools.ts';
import { inTurn, type NodeTurn, patched } from '../turn.ts';

/** Runs manual cleaning with the steps for the order. */
export async function prepareNode(tools: Tools, order: PrepareOrder): Promise<IronicAnswer> {
  const { client, settings } = tools;
  const parsed = parseBmcAddress(order.bmc.address, { fakeHardware: settings.allowFakeHardware });
  if (parsed.kind === 'invalid') return { kind: 'failed', message: parsed.message };
  const raid: RaidChange = {
    target: order.targetRaid,
    actual: order.actualRaid,
    schemeInterface: parsed.address.kind.interfaces.raid_interface,
  };
  const problem = raidProblem(raid);
  if (problem !== undefined) return { kind: 'failed', message: problem };
  const steps = order.unprepared ? cleanSteps({ ...order, raid }) : [];
  return inTurn(tools, { host: order.host }, async (turn) => {
    const found = await turn.look(order.nodeId);
    if (found === undefined) return { kind: 'lost' };
    const node = nodeFacts(found);
    const request = requestFor(tools, turn, node.id);
    try {
      const move = prepareMove(node, { hasSteps: steps.length > 0, retry: order.retry });
      const answer = await carryOut(tools, node, move, async (step) => {
        if (step !== 'clean') return request(step);
        // `raid_interface` can be changed only now: the steps before have brought the node to `manageable`.
        if (steps.some((each) => each.interface === 'raid')) await tellVolumes(tools, turn, order, raid, found);
        await turn.send(node.id, (change) =>
          client.setProvisionState(node.id, 'clean', { clean_steps: steps }, change),
        );
      });
      return markRunning(answer, move);
    } catch (error) {
      return answerTo(error, node);
    }
  });
}

/** Sends the volumes for the steps. When all volumes are only deleted, only the interface is sent. */
async function tellVolumes(
  tools: Tools,
  turn: NodeTurn,
  order: PrepareOrder,
  raid: RaidChange,
  found: NodeJson,
): Promise<void> {
  await patched(tools, turn, found, patchFor(found, { '/raid_interface': raidInterface(raid) }));
  const disks = logicalDisks(order.targetRaid, order.rootDeviceHints);
  if (disks.length > 0) await turn.send(found.uuid, (change) => tools.client.setRaid(found.uuid, disks, change));
}
