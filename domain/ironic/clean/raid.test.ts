import { describe, expect, test } from 'vitest';
import type { HardwareRaidVolume, Raid, SoftwareRaidVolume } from '../../../api/baremetalhost/types.ts';
import { cleanSteps } from './machine-change.ts';
import { logicalDisks, raidInterface, raidProblem, raidSteps } from './raid.ts';

const soft = (change: Partial<SoftwareRaidVolume> = {}): SoftwareRaidVolume => ({
  level: '1',
  rootVolume: false,
  ...change,
});
const hard = (change: Partial<HardwareRaidVolume> = {}): HardwareRaidVolume => ({
  level: '5',
  name: 'data',
  ...change,
});

const software = (...volumes: SoftwareRaidVolume[]): Raid => ({ softwareRAIDVolumes: volumes });
const hardware = (...volumes: HardwareRaidVolume[]): Raid => ({ hardwareRAIDVolumes: volumes });

const DELETE = 'raid.delete_configuration';
const ERASE = 'deploy.erase_devices_metadata';
const CREATE = 'raid.create_configuration';

describe('the steps to the wanted volumes', () => {
  test.each<[string, Raid | undefined, Raid | undefined, string, string[]]>([
    ['nothing wanted, nothing there', undefined, undefined, 'redfish', []],
    ['nothing said, volumes of a controller there', undefined, hardware(hard()), 'redfish', []],
    ['software wanted', software(soft()), undefined, 'redfish', [DELETE, ERASE, CREATE]],
    ['software wanted without RAID in the BMC', software(soft()), undefined, 'no-raid', [DELETE, ERASE, CREATE]],
    ['software there as wanted', software(soft()), software(soft()), 'redfish', []],
    [
      'software there, another wanted',
      software(soft({ level: '1+0' })),
      software(soft()),
      'redfish',
      [DELETE, ERASE, CREATE],
    ],
    ['software there, none wanted', software(), software(soft()), 'redfish', [DELETE, ERASE]],
    ['no software wanted, none there', software(), undefined, 'redfish', []],
    ['no software wanted, none known but that of a controller', software(), hardware(hard()), 'redfish', []],
    ['a controller’s wanted', hardware(hard()), undefined, 'redfish', [DELETE, CREATE]],
    ['a controller’s there as wanted', hardware(hard()), hardware(hard()), 'redfish', []],
    [
      'a controller’s in another order',
      hardware(hard(), hard({ name: 'b' })),
      hardware(hard({ name: 'b' }), hard()),
      'redfish',
      [DELETE, CREATE],
    ],
    ['none of a controller wanted, one there', hardware(), hardware(hard()), 'redfish', [DELETE]],
    ['none of a controller wanted, nothing known', hardware(), undefined, 'redfish', [DELETE]],
    ['none of a controller wanted, none there', hardware(), hardware(), 'redfish', []],
    ['none of a controller wanted where none can be', hardware(), undefined, 'no-raid', []],
    [
      'software is looked at first',
      { ...software(soft()), ...hardware() },
      undefined,
      'redfish',
      [DELETE, ERASE, CREATE],
    ],
    ...(
      [
        ['without a size, or with size 0', {}, { sizeGibibytes: 0 }],
        ['without a name, or with an empty one', { name: undefined }, { name: '' }],
        ['without a controller, or with an empty one', {}, { controller: '' }],
        ['without disks, or with an empty list', {}, { physicalDisks: [] }],
      ] as const
    ).flatMap(([what, absent, empty]): [string, Raid, Raid, string, string[]][] => [
      [`a controller’s there, ${what}`, hardware(hard(absent)), hardware(hard(empty)), 'redfish', []],
      [`a controller’s there, the other way, ${what}`, hardware(hard(empty)), hardware(hard(absent)), 'redfish', []],
    ]),
    [
      'software there without a size, wanted with size 0',
      software(soft({ sizeGibibytes: 0 })),
      software(soft()),
      'redfish',
      [],
    ],
    [
      'software there without a size, wanted with one',
      software(soft({ sizeGibibytes: 7 })),
      software(soft()),
      'redfish',
      [DELETE, ERASE, CREATE],
    ],
    [
      'a list that is null is not spoken of',
      { softwareRAIDVolumes: null, hardwareRAIDVolumes: null },
      hardware(hard()),
      'redfish',
      [],
    ],
  ])('%s', (_, target, actual, schemeInterface, steps) => {
    const found = raidSteps({ target, actual, schemeInterface });
    expect(found.map((step) => `${step.interface}.${step.step}`)).toEqual(steps);
  });
});

describe('volumes are built', () => {
  test.each<[string, Raid | undefined, Raid | undefined, string]>([
    ['by the BMC when a controller is to', hardware(hard()), undefined, 'idrac-redfish'],
    ['by the agent when they are in software', software(soft()), undefined, 'agent'],
    ['away by the agent when they are in software', software(), software(soft()), 'agent'],
    ['by the BMC when nothing is said', undefined, software(soft()), 'idrac-redfish'],
  ])('%s', (_, target, actual, expected) => {
    expect(raidInterface({ target, actual, schemeInterface: 'idrac-redfish' })).toBe(expected);
  });
});

describe('volumes can not be built', () => {
  test.each<[string, Raid, string, string]>([
    [
      'level of the first in software',
      software(soft({ level: '0' })),
      'redfish',
      'the level in first volume of software raid must be RAID1',
    ],
    [
      'a BMC that knows no RAID',
      hardware(hard()),
      'no-raid',
      "RAID settings are defined, but the node's driver no-raid does not support RAID",
    ],
    [
      'names',
      hardware(hard(), hard({ name: 'b' }), hard()),
      'redfish',
      'the names(data) of volume[2] and volume[0] are repeated',
    ],
    [
      'disks without a controller',
      hardware(hard({ physicalDisks: ['a'] })),
      'redfish',
      "'controller' must be specified if 'physicalDisks' are used",
    ],
    [
      'numbers that differ',
      hardware(hard({ physicalDisks: ['a'], controller: 'c', numberOfPhysicalDisks: 2 })),
      'redfish',
      'the numberOfPhysicalDisks[2] is not same as number of items in physicalDisks[1]',
    ],
  ])('because of %s', (_, target, schemeInterface, problem) => {
    expect(raidProblem({ target, schemeInterface })).toBe(problem);
  });

  test.each<[string, Raid | undefined, string]>([
    ['nothing is wanted', undefined, 'no-raid'],
    ['all of a controller are to go where there are none', hardware(), 'no-raid'],
    ['those in software need no BMC', software(soft(), soft({ level: '0' })), 'no-raid'],
    ['two have no name', hardware(hard({ name: undefined }), hard({ name: undefined })), 'redfish'],
  ])('does not hold when %s', (_, target, schemeInterface) => {
    expect(raidProblem({ target, schemeInterface })).toBeUndefined();
  });
});

describe('a volume is sent to Ironic', () => {
  const hints = { deviceName: '/dev/sda' };

  test('of a controller with all that is said of it', () => {
    const volume = hard({
      level: '1+0',
      sizeGibibytes: 100,
      numberOfPhysicalDisks: 2,
      controller: 'RAID.1',
      physicalDisks: ['Disk.1', 'Disk.2'],
      rotational: false,
    });
    expect(logicalDisks(hardware(volume), hints)).toEqual([
      {
        size_gb: 100,
        raid_level: '1+0',
        volume_name: 'data',
        disk_type: 'ssd',
        number_of_physical_disks: 2,
        controller: 'RAID.1',
        physical_disks: ['Disk.1', 'Disk.2'],
      },
    ]);
  });

  test.each([
    ['as large as it gets when nothing is said of its size', hard({ sizeGibibytes: undefined }), { size_gb: 'MAX' }],
    ['as large as it gets with size 0', hard({ sizeGibibytes: 0 }), { size_gb: 'MAX' }],
    ['on spinning disks', hard({ rotational: true }), { disk_type: 'hdd' }],
  ])('of a controller, %s', (_, volume, expected) => {
    expect(logicalDisks(hardware(volume), hints)).toMatchObject([expected]);
  });

  test('in software with hints for each of its disks', () => {
    const volume = soft({ physicalDisks: [{ deviceName: '/dev/sda' }, { serialNumber: 'S2', minSizeGigabytes: 10 }] });
    expect(logicalDisks(software(volume, soft({ level: '0', rootVolume: true, sizeGibibytes: 7 })), hints)).toEqual([
      {
        size_gb: 'MAX',
        raid_level: '1',
        is_root_volume: false,
        controller: 'software',
        physical_disks: [{ name: 's== /dev/sda' }, { serial: 's== S2', size: '>= 10' }],
      },
      { size_gb: 7, raid_level: '0', is_root_volume: true, controller: 'software' },
    ]);
  });

  test('the first of which takes the image when nothing else says where it goes', () => {
    const both = hardware(hard(), hard({ name: 'b' }));
    expect(logicalDisks(both, undefined).map((disk) => disk['is_root_volume'])).toEqual([true, undefined]);
    expect(logicalDisks(both, hints).map((disk) => disk['is_root_volume'])).toEqual([undefined, undefined]);
    const marked = software(soft(), soft({ rootVolume: true }));
    expect(logicalDisks(marked, undefined).map((disk) => disk['is_root_volume'])).toEqual([false, true]);
  });

  test('only where one is wanted', () => {
    expect([logicalDisks(undefined, undefined), logicalDisks(software(), undefined)]).toEqual([[], []]);
  });
});

describe('manual cleaning', () => {
  test('builds volumes first, then changes the BIOS, then firmware, and keeps numbers numbers', () => {
    const steps = cleanSteps({
      raid: { target: hardware(hard()), actual: undefined, schemeInterface: 'redfish' },
      biosSettings: { ProcVirtualization: 'Enabled', BootRetries: 3 },
      firmwareUpdates: [{ component: 'bmc', url: 'http://files/bmc.bin' }],
    });
    expect(steps).toEqual([
      { interface: 'raid', step: 'delete_configuration' },
      { interface: 'raid', step: 'create_configuration' },
      {
        interface: 'bios',
        step: 'apply_configuration',
        args: {
          settings: [
            { name: 'ProcVirtualization', value: 'Enabled' },
            { name: 'BootRetries', value: 3 },
          ],
        },
      },
      {
        interface: 'firmware',
        step: 'update',
        args: { settings: [{ component: 'bmc', url: 'http://files/bmc.bin' }] },
      },
    ]);
  });

  test('has no steps when nothing is to be changed', () => {
    const raid = { target: undefined, actual: undefined, schemeInterface: 'redfish' };
    expect(cleanSteps({ raid, biosSettings: {}, firmwareUpdates: [] })).toEqual([]);
  });
});
