import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Raid, RootDeviceHints } from '../../../api/baremetalhost/types.ts';
import { aHost, aNode } from '../../../test/builders/host.ts';
import type { HostMemory } from '../memory/memory.ts';
import { cleared, isPrepared, prepared, recordedRaid, wantedPreparation } from './preparation.ts';

const hard = { level: '1', name: 'data' } as const;
const soft = { level: '1', rootVolume: false } as const;

const host = (
  spec: { raid?: Raid; rootDeviceHints?: RootDeviceHints; hardwareProfile?: string },
  raid?: Raid,
): HostMemory =>
  aHost({
    state: 'preparing',
    seen: { spec },
    status: {
      ...(spec.hardwareProfile !== undefined && { hardwareProfile: spec.hardwareProfile }),
      provisioning: { state: 'preparing', ID: aNode().id, ...(raid !== undefined && { raid }) },
    },
  });

describe('the volumes that are wanted', () => {
  test.each<[string, Raid | undefined, Raid | undefined, Raid | undefined]>([
    ['as the spec says', { hardwareRAIDVolumes: [hard] }, undefined, { hardwareRAIDVolumes: [hard] }],
    [
      'as the spec says, an empty list too',
      { hardwareRAIDVolumes: [] },
      { hardwareRAIDVolumes: [hard] },
      { hardwareRAIDVolumes: [] },
    ],
    ['nobody’s when nobody ever spoke of any', undefined, undefined, undefined],
    [
      'those of a controller that are there, when nothing is said',
      undefined,
      { hardwareRAIDVolumes: [hard] },
      { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: [] },
    ],
    ['none in software when nothing is said', undefined, { softwareRAIDVolumes: [soft] }, { softwareRAIDVolumes: [] }],
    [
      'none in software when only null is said',
      { hardwareRAIDVolumes: null, softwareRAIDVolumes: null },
      { softwareRAIDVolumes: [soft] },
      { softwareRAIDVolumes: [] },
    ],
    [
      'without those lists that are null',
      { hardwareRAIDVolumes: null, softwareRAIDVolumes: [soft] },
      undefined,
      { softwareRAIDVolumes: [soft] },
    ],
  ])('are %s', (_, asked, recorded, wanted) => {
    expect(wantedPreparation(host({ ...(asked && { raid: asked }) }, recorded)).targetRaid).toEqual(wanted);
  });
});

describe('the root device hints that are wanted', () => {
  const rootDeviceHints = { serialNumber: 'S1' };
  test.each<[string, Parameters<typeof host>[0], RootDeviceHints | undefined]>([
    ['those of the spec', { rootDeviceHints }, rootDeviceHints],
    ['those of the profile without any', {}, { deviceName: '/dev/sda' }],
    ['none with a profile that has none', { hardwareProfile: 'empty' }, undefined],
    [
      'none where a volume takes the image',
      { rootDeviceHints, raid: { softwareRAIDVolumes: [{ ...soft, rootVolume: true }] } },
      undefined,
    ],
    [
      'those of the spec where no volume says so',
      { rootDeviceHints, raid: { softwareRAIDVolumes: [soft] } },
      rootDeviceHints,
    ],
    ['none where the first volume takes the image', { raid: { softwareRAIDVolumes: [soft] } }, undefined],
    [
      'none where the first volume takes the image, whatever disk the profile names',
      { hardwareProfile: 'libvirt', raid: { softwareRAIDVolumes: [soft, { ...soft, level: '0' }] } },
      undefined,
    ],
    ['those of the profile beside an empty list', { raid: { softwareRAIDVolumes: [] } }, { deviceName: '/dev/sda' }],
    [
      'those of the profile where a controller builds the volumes',
      { raid: { hardwareRAIDVolumes: [hard] } },
      { deviceName: '/dev/sda' },
    ],
  ])('are %s', (_, spec, wanted) => {
    expect(wantedPreparation(host(spec)).rootDeviceHints).toEqual(wanted);
  });
});

describe('volumes that are asked for in other words', () => {
  const hints = { rootDeviceHints: { serialNumber: 'S1' } };
  test.each<[string, Raid, Raid]>([
    [
      'of a controller, with size 0',
      { hardwareRAIDVolumes: [{ ...hard, sizeGibibytes: 0 }] },
      { hardwareRAIDVolumes: [hard] },
    ],
    [
      'in software, with size 0',
      { softwareRAIDVolumes: [{ ...soft, sizeGibibytes: 0 }] },
      { softwareRAIDVolumes: [soft] },
    ],
    [
      'with a list that is null',
      { hardwareRAIDVolumes: [hard], softwareRAIDVolumes: null },
      { hardwareRAIDVolumes: [hard] },
    ],
  ])('are there: %s', (_, one, other) => {
    for (const [asked, recorded] of [
      [one, other],
      [other, one],
    ] as const) {
      const before = host({ raid: recorded, ...hints });
      const there = prepared(before, wantedPreparation(before));
      expect(isPrepared({ ...there, seen: { ...there.seen, spec: host({ raid: asked, ...hints }).seen.spec } })).toBe(
        true,
      );
    }
  });

  test('are not there when they are no list, which keeps volumes, and an empty one, which deletes them', () => {
    expect(isPrepared(host({ raid: { hardwareRAIDVolumes: [] }, ...hints }, { softwareRAIDVolumes: [] }))).toBe(false);
  });
});

describe('the record of a preparation', () => {
  const volumes = <T>(volume: T) => fc.option(fc.array(fc.constant(volume), { maxLength: 2 }), { nil: null });
  const raid = fc.option(
    fc.record({ hardwareRAIDVolumes: volumes(hard), softwareRAIDVolumes: volumes(soft) }, { requiredKeys: [] }),
    { nil: undefined },
  );

  test('is the complete desired preparation, whatever was there before', () => {
    fc.assert(
      fc.property(raid, raid, (asked, recorded) => {
        const before = host({ ...(asked && { raid: asked }) }, recorded);
        expect(isPrepared(prepared(before, wantedPreparation(before)))).toBe(true);
      }),
    );
  });

  test('never forgets the volumes of a controller, and always those in software', () => {
    fc.assert(
      fc.property(raid, (recorded) => {
        const { status } = host({}, recorded);
        const rest = cleared({ ...status.provisioning, rootDeviceHints: { hctl: '0:0:0:0' } });
        expect(rest.raid?.hardwareRAIDVolumes).toEqual(recorded?.hardwareRAIDVolumes);
        expect([rest.raid?.softwareRAIDVolumes, rest.rootDeviceHints]).toEqual([undefined, undefined]);
      }),
    );
  });

  test('reads null as nothing', () => {
    expect(recordedRaid(host({}, { hardwareRAIDVolumes: null, softwareRAIDVolumes: [] }))).toEqual({
      softwareRAIDVolumes: [],
    });
  });
});
