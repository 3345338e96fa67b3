import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Raid } from '../../api/baremetalhost/types.ts';
import type { NodeOrder, PrepareOrder } from '../../domain/ironic/orders.ts';
import { atRest, type Bench, hostOn, openBench, registered } from './ironic-client/harness.ts';

/** Software volumes, built by manual cleaning on real Ironic; the emulator's BMCs have no RAID controller. */
let bench: Bench;
let order: NodeOrder;

beforeAll(async () => {
  bench = await openBench(2);
  order = await registered(bench, hostOn(bench, bench.lab.machines[1]));
});
afterAll(() => bench?.close());

const mirror: Raid = {
  softwareRAIDVolumes: [
    { level: '1', rootVolume: true, physicalDisks: [{ deviceName: '/dev/sda' }, { serialNumber: 'lab-0001-disk-1' }] },
  ],
};
const toPrepare = (more: Partial<PrepareOrder>): PrepareOrder => ({
  ...order,
  unprepared: true,
  retry: false,
  ...more,
});
const volumes = async (): Promise<unknown> => (await bench.machine(order.host.name)).disk.volumes;

describe('a machine with two disks', () => {
  test('has its volume once manual cleaning is over', async () => {
    expect(await bench.first.prepareNode(toPrepare({ targetRaid: mirror }))).toMatchObject({ kind: 'started' });
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await volumes()).toEqual([{ name: '/dev/md0', level: '1', size: 'MAX', disks: ['/dev/sda', '/dev/sdb'] }]);
  });

  test('has others in the place of those it had', async () => {
    const two: Raid = {
      softwareRAIDVolumes: [
        { level: '1', rootVolume: false, sizeGibibytes: 50 },
        { level: '0', rootVolume: false },
      ],
    };
    await bench.first.prepareNode(toPrepare({ targetRaid: two, actualRaid: mirror }));
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await volumes()).toMatchObject([
      { level: '1', size: 50 },
      { level: '0', size: 'MAX' },
    ]);
  });

  test('has none once none are wanted', async () => {
    await bench.first.prepareNode(toPrepare({ targetRaid: { softwareRAIDVolumes: [] }, actualRaid: mirror }));
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await volumes()).toEqual([]);
  });

  test('says why they could not be built, and builds them for a retry', async () => {
    await bench.misbehave(order.host.name, [
      { kind: 'clean-step', step: 'create_configuration', message: 'the disks are not on speaking terms', times: 1 },
    ]);
    await bench.first.prepareNode(toPrepare({ targetRaid: mirror }));
    expect(await atRest(bench, order)).toMatchObject({ state: 'clean failed' });
    expect(await bench.first.prepareNode(toPrepare({ targetRaid: mirror }))).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('not on speaking terms') as string,
    });
    expect(await bench.first.prepareNode(toPrepare({ targetRaid: mirror, retry: true }))).toMatchObject({
      kind: 'started',
    });
    expect(await atRest(bench, order)).toMatchObject({ state: 'manageable', lastError: null });
    expect(await volumes()).toHaveLength(1);
  });
});
