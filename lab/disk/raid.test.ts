import { describe, expect, test } from 'vitest';
import { patternMachine } from '../machines/pattern.ts';
import { buildVolumes } from './raid.ts';

const { disks } = patternMachine(3).inventory;
const volume = (more: object = {}): object => ({ raid_level: '1', size_gb: 'MAX', controller: 'software', ...more });

describe('the volumes of a simulated machine', () => {
  test('span all its disks when none are named', () => {
    const wanted = { logical_disks: [volume(), volume({ raid_level: '0', size_gb: 10 })] };
    const all = ['/dev/sda', '/dev/sdb', '/dev/sdc'];
    expect(buildVolumes(wanted, disks, [])).toEqual([
      { name: '/dev/md0', level: '1', size: 'MAX', disks: all },
      { name: '/dev/md1', level: '0', size: 10, disks: all },
    ]);
  });

  test.each([
    [{ name: 's== /dev/sdb' }, '/dev/sdb'],
    [{ model: '<in> Spin' }, '/dev/sdc'],
    [{ size: '>= 1000' }, '/dev/sdb'],
    [{ rotational: 'true' }, '/dev/sdc'],
  ])('span the disks that fit their hints: %o', (hints, name) => {
    const physical_disks = [{ name: 's== /dev/sda' }, hints];
    expect(buildVolumes({ logical_disks: [volume({ physical_disks })] }, disks, [])[0]?.disks).toEqual([
      '/dev/sda',
      name,
    ]);
  });

  test.each([
    ['nothing is asked for', null, [], 'expected object'],
    ['nothing is asked for by name', { logical_disks: [] }, [], 'No target_raid_config'],
    [
      'a disk is missing',
      { logical_disks: [volume({ physical_disks: [{ name: 's== /dev/sdz' }] })] },
      [],
      'No disk fits',
    ],
    [
      'one disk is to be two',
      { logical_disks: [volume({ physical_disks: [{ name: 's== /dev/sda' }, { name: 's== /dev/sda' }] })] },
      [],
      'needs two disks',
    ],
    ['a controller is to do it', { logical_disks: [volume({ controller: 'RAID.1' })] }, [], 'has no controller'],
    [
      'there are some',
      { logical_disks: [volume()] },
      [{ name: '/dev/md0', level: '1', size: 1, disks: [] }],
      'volumes already',
    ],
  ])('are not built when %s', (_, wanted, existing, problem) => {
    expect(() => buildVolumes(wanted, disks, existing)).toThrow(problem);
  });
});
