import { afterEach, expect, test } from 'vitest';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const HOST = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };

test('a node that is deleted by force is in maintenance before, with our reason', async () => {
  const found = { status: 200, body: aNodeAnswer({ provision_state: 'active' }) };
  open = await scriptActivities([found, { status: 202 }, { status: 204 }]);
  expect(await open.activities.deleteNode({ host: HOST, nodeId: NODE })).toEqual({ kind: 'lost' });
  expect(open.asked()).toEqual([
    [`GET /v1/nodes/${NODE}`, undefined],
    [`PUT /v1/nodes/${NODE}/maintenance`, { reason: 'forcing deletion in temper' }],
    [`DELETE /v1/nodes/${NODE}`, undefined],
  ]);
});

test.each([
  ['on', 'power on'],
  ['in a power state that Ironic does not know', null],
])('a node that is deleted only while its server is off stays while it is %s', async (_, power_state) => {
  open = await scriptActivities([{ status: 200, body: aNodeAnswer({ provision_state: 'available', power_state }) }]);
  const answer = await open.activities.deleteNode({ host: HOST, nodeId: NODE, onlyIfOff: true });
  expect(answer).toMatchObject({ kind: 'done', node: { poweredOn: power_state === null ? null : true } });
  expect(open.asked()).toEqual([[`GET /v1/nodes/${NODE}`, undefined]]);
});

test('and stays when its server comes on while Ironic refuses to delete it', async () => {
  const found = (power_state: string) => ({
    status: 200,
    body: aNodeAnswer({ provision_state: 'available', power_state }),
  });
  open = await scriptActivities([
    found('power off'),
    { status: 400, body: { error_message: 'it has an instance' } },
    found('power on'),
  ]);
  const answer = await open.activities.deleteNode({ host: HOST, nodeId: NODE, onlyIfOff: true });
  expect(answer).toMatchObject({ kind: 'done', node: { poweredOn: true } });
  expect(open.asked().map(([request]) => request)).toEqual([
    `GET /v1/nodes/${NODE}`,
    `DELETE /v1/nodes/${NODE}`,
    `GET /v1/nodes/${NODE}`,
  ]);
});

test('and is deleted when it is off', async () => {
  const found = { status: 200, body: aNodeAnswer({ provision_state: 'available', power_state: 'power off' }) };
  open = await scriptActivities([found, { status: 204 }]);
  expect(await open.activities.deleteNode({ host: HOST, nodeId: NODE, onlyIfOff: true })).toEqual({ kind: 'lost' });
  expect(open.asked().map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`, `DELETE /v1/nodes/${NODE}`]);
});
