import { afterEach, describe, expect, test } from 'vitest';
import type { Raid } from '../../../api/baremetalhost/types.ts';
import { desiredSettings } from '../../../domain/ironic/node-settings.ts';
import type { PrepareOrder } from '../../../domain/ironic/orders.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const hardware: Raid = { hardwareRAIDVolumes: [{ level: '1', name: 'root', sizeGibibytes: 100 }] };
const software: Raid = { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] };
const NODE = '11111111-1111-4111-8111-111111111111';

const anOrder = (order: Partial<PrepareOrder> = {}, address = 'redfish://bmc/redfish/v1/Systems/1'): PrepareOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: NODE,
  bmc: { address, credentialsName: 's', disableCertificateVerification: false },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  ...desiredSettings({}),
  unprepared: true,
  retry: false,
  ...order,
});

const node = (more: object = {}): Answer => ({
  status: 200,
  body: aNodeAnswer({ raid_interface: 'redfish', ...more }),
});
const accepted: Answer = { status: 202 };

async function prepare(order: PrepareOrder, ...answers: readonly Answer[]) {
  open = await scriptActivities(answers);
  const answer = await open.activities.prepareNode(order);
  return { answer, asked: open.asked() };
}

const GET = [`GET /v1/nodes/${NODE}`, undefined];
const target = (target: string, more: object = {}) => [`PUT /v1/nodes/${NODE}/states/provision`, { target, ...more }];
const interfaceTo = (value: string) => [`PATCH /v1/nodes/${NODE}`, [{ op: 'add', path: '/raid_interface', value }]];
const volumes = (...logical_disks: object[]) => [`PUT /v1/nodes/${NODE}/states/raid`, { logical_disks }];
const steps = (...names: string[]) => ({
  clean_steps: names.map((name) => ({ interface: name.split('.')[0], step: name.split('.')[1] })),
});
const ROOT = { size_gb: 100, raid_level: '1', volume_name: 'root' };

describe('volumes of a controller, on recorded requests', () => {
  test('are sent to Ironic, then built by manual cleaning, the first one for the image without hints', async () => {
    const { answer, asked } = await prepare(anOrder({ targetRaid: hardware }), node(), accepted, accepted);
    expect(answer).toMatchObject({ kind: 'started', node: { state: 'cleaning' } });
    expect(asked).toEqual([
      GET,
      volumes({ ...ROOT, is_root_volume: true }),
      target('clean', steps('raid.delete_configuration', 'raid.create_configuration')),
    ]);
  });

  test.each([1, 2])('are not built by a cleaning that runs already at attempt %i: it may be for others', async (at) => {
    open = await scriptActivities([node({ provision_state: 'clean wait' })], {}, {}, at);
    const answer = await open.activities.prepareNode(anOrder({ targetRaid: hardware }));
    expect(answer).toMatchObject({ kind: 'started', alreadyRunning: true, node: { state: 'clean wait' } });
    expect(open.asked()).toEqual([GET]);
  });

  test('get the interface of the scheme back after volumes in software', async () => {
    const order = anOrder({ targetRaid: hardware, rootDeviceHints: { hctl: '0:0:0:0' } }, 'idrac-virtualmedia://bmc');
    const { asked } = await prepare(order, node({ raid_interface: 'agent' }), node(), accepted, accepted);
    expect(asked.slice(1, 3)).toEqual([interfaceTo('idrac-redfish'), volumes(ROOT)]);
  });

  test('are deleted without sending any', async () => {
    const order = anOrder({ targetRaid: { hardwareRAIDVolumes: [] }, actualRaid: hardware });
    const { asked } = await prepare(order, node(), accepted);
    expect(asked).toEqual([GET, target('clean', steps('raid.delete_configuration'))]);
  });

  test('on an available node are built once it is manageable again', async () => {
    const found = node({ provision_state: 'available' });
    const { asked } = await prepare(anOrder({ targetRaid: hardware }), found, accepted, accepted, accepted);
    expect(asked.map(([request]) => request)).toEqual([
      `GET /v1/nodes/${NODE}`,
      `PUT /v1/nodes/${NODE}/states/provision`,
      `PUT /v1/nodes/${NODE}/states/raid`,
      `PUT /v1/nodes/${NODE}/states/provision`,
    ]);
  });

  test('that Ironic refuses fail with its message', async () => {
    const refusal = { status: 400, body: fault("RAID config validation error: 'nine' is not valid") };
    const { answer } = await prepare(anOrder({ targetRaid: hardware }), node(), refusal);
    expect(answer).toMatchObject({ kind: 'failed', message: "RAID config validation error: 'nine' is not valid" });
  });
});

describe('volumes in software', () => {
  test('are built by the agent', async () => {
    const { asked } = await prepare(anOrder({ targetRaid: software }), node(), node(), accepted, accepted);
    expect(asked).toEqual([
      GET,
      interfaceTo('agent'),
      volumes({ size_gb: 'MAX', raid_level: '1', is_root_volume: true, controller: 'software' }),
      target('clean', steps('raid.delete_configuration', 'deploy.erase_devices_metadata', 'raid.create_configuration')),
    ]);
  });

  test('are taken apart by the agent', async () => {
    const order = anOrder({ targetRaid: { softwareRAIDVolumes: [] }, actualRaid: software });
    const { asked } = await prepare(order, node({ raid_interface: 'agent' }), accepted);
    expect(asked).toEqual([GET, target('clean', steps('raid.delete_configuration', 'deploy.erase_devices_metadata'))]);
  });
});

describe('preparing a node', () => {
  test('changes its BIOS and its firmware without sending volumes', async () => {
    const order = anOrder({
      biosSettings: { Boot: 'Uefi' },
      firmwareUpdates: [{ component: 'bios', url: 'http://f/bios' }],
    });
    const { asked } = await prepare(order, node(), accepted);
    expect(asked.slice(1)).toMatchObject([
      target('clean', { clean_steps: [{ interface: 'bios' }, { interface: 'firmware' }] }),
    ]);
  });

  test.each([
    ['that is cleaned waits', { provision_state: 'clean wait' }, {}, 'started'],
    ['that needs nothing is done', {}, { targetRaid: undefined }, 'done'],
    ['for which all was asked is done at rest', {}, { unprepared: false }, 'done'],
  ])('%s', async (_, found, order, kind) => {
    const { answer, asked } = await prepare(anOrder({ targetRaid: hardware, ...order } as PrepareOrder), node(found));
    expect([answer.kind, asked]).toEqual([kind, [GET]]);
  });

  test('that failed is reported, and cleaned again when it is retried', async () => {
    const failed = node({
      provision_state: 'clean failed',
      last_error: 'bad disk',
      maintenance: true,
      fault: 'clean failure',
    });
    const first = await prepare(anOrder({ targetRaid: hardware }), failed);
    expect(first.answer).toMatchObject({ kind: 'failed', message: 'bad disk' });
    await open?.close();
    const again = await prepare(anOrder({ targetRaid: hardware, retry: true }), failed, accepted);
    expect(again.asked.map(([request]) => request)).toEqual([
      `GET /v1/nodes/${NODE}`,
      `DELETE /v1/nodes/${NODE}/maintenance`,
      `PUT /v1/nodes/${NODE}/states/provision`,
      `PUT /v1/nodes/${NODE}/states/raid`,
      `PUT /v1/nodes/${NODE}/states/provision`,
    ]);
  });

  test('is refused before Ironic is asked when the volumes can not be', async () => {
    const { answer, asked } = await prepare(anOrder({ targetRaid: hardware }, 'ipmi://bmc'), node());
    expect(answer).toEqual({
      kind: 'failed',
      message: "RAID settings are defined, but the node's driver no-raid does not support RAID",
    });
    expect(asked).toEqual([]);
  });

  test('that Ironic does not know is lost', async () => {
    const { answer } = await prepare(anOrder({ targetRaid: hardware }), 'gone');
    expect(answer).toEqual({ kind: 'lost' });
  });
});
