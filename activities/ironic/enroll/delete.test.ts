import { afterEach, expect, test } from 'vitest';
import { markText } from '../../../domain/ironic/mark.ts';
import { aWillingObject } from '../../../test/builders/permits.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';

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

test('whose creation has had no answer is not taken for gone before Ironic can not create it any more, and is deleted when it is there', async () => {
  const markedAt = (at: number) => () =>
    aWillingObject(
      markText({ request: 'create', nodeId: 'metal~host-1', uid: HOST.uid, at: new Date(at).toISOString() }),
    );
  const none = { status: 404, body: fault('Node metal~host-1 could not be found.') };
  const byName = { host: HOST, nodeId: '' };

  open = await scriptActivities([none, none], {}, {}, 1, markedAt(Date.now()));
  await expect(open.activities.deleteNode(byName)).rejects.toMatchObject({ type: 'IronicBusy', nonRetryable: false });
  await open.close();

  const found = { status: 200, body: aNodeAnswer({ name: 'metal~host-1', provision_state: 'enroll' }) };
  open = await scriptActivities([none, found, { status: 204 }], {}, {}, 1, markedAt(Date.now()));
  expect(await open.activities.deleteNode(byName)).toEqual({ kind: 'lost' });
  expect(open.asked().at(-1)).toEqual([`DELETE /v1/nodes/${NODE}`, undefined]);
  await open.close();

  open = await scriptActivities([none, none], {}, {}, 1, markedAt(Date.now() - 600_000));
  expect(await open.activities.deleteNode(byName)).toEqual({ kind: 'lost' });
});

test('and is deleted when it is off', async () => {
  const found = { status: 200, body: aNodeAnswer({ provision_state: 'available', power_state: 'power off' }) };
  open = await scriptActivities([found, { status: 204 }]);
  expect(await open.activities.deleteNode({ host: HOST, nodeId: NODE, onlyIfOff: true })).toEqual({ kind: 'lost' });
  expect(open.asked().map(([request]) => request)).toEqual([`GET /v1/nodes/${NODE}`, `DELETE /v1/nodes/${NODE}`]);
});
