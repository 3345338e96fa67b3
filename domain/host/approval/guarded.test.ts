import { describe, expect, test } from 'vitest';
import { aHost, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import { answerValue } from '../../steering/answer.ts';
import { nodeOrder } from '../desired/wishes.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import { deprovisioning, poweringOff, preparing, provisioning, subjectOf } from './guarded.ts';
import { unapproved } from './unapproved.ts';
import { withApprovalUsed } from './used.ts';

const HOST = { namespace: 'metal', name: 'node-1', uid: 'uid-1' };
const RAID = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
const object = (change: { annotations?: object; spec?: object; status?: object } = {}) =>
  ({
    metadata: { ...HOST, annotations: change.annotations },
    spec: { online: true, ...change.spec },
    ...(change.status !== undefined && { status: change.status }),
  }) as unknown as Parameters<typeof unapproved>[0];

const preparation = (change: Partial<PrepareOrder> = {}): PrepareOrder => ({
  ...nodeOrder(aHost({ state: 'preparing' })),
  unprepared: true,
  retry: false,
  ...change,
});

describe('a step', () => {
  test('of a custom deploy step says its name, there and back', () => {
    const deployed = { operationHistory: {}, provisioning: { state: '', ID: '', customDeploy: { method: 'install' } } };
    const host = { spec: { customDeploy: { method: 'install' } }, status: deployed };
    expect(provisioning(subjectOf(object(host))).does).toBe('clean its disks and deploy with step install over them');
    expect(deprovisioning(subjectOf(object(host)))?.does).toBe(
      'power it off, undo the deploy step install, and clean its disks',
    );
  });

  test.each([
    [{}, 'clean its disks and write image http://images/a.raw over them'],
    [
      { rootDeviceHints: { deviceName: '/dev/sdb', minSizeGigabytes: 40 } },
      'clean its disks and write image http://images/a.raw over the one with deviceName /dev/sdb and minSizeGigabytes 40',
    ],
    [{ automatedCleaningMode: 'disabled' }, 'write image http://images/a.raw over its disks'],
    [
      { automatedCleaningMode: 'disabled', rootDeviceHints: { deviceName: '/dev/sdb' } },
      'write image http://images/a.raw over its disk with deviceName /dev/sdb',
    ],
  ])('that writes an image says which disks it cleans, and over which one it writes: %j', (spec, does) => {
    const subject = subjectOf(object({ spec: { image: { url: 'http://images/a.raw' }, ...spec } }));
    expect(provisioning(subject).does).toBe(does);
  });

  test('that does nothing to a server is none: nothing is deployed, it is powered on, nothing is to be built', () => {
    const subject = subjectOf(object());
    expect(deprovisioning(subject)).toBeUndefined();
    expect(poweringOff(subject, { on: true })).toBeUndefined();
    expect(preparing(subject, preparation())).toBeUndefined();
    expect(preparing(subject, preparation({ unprepared: false, targetRaid: RAID }))).toBeUndefined();
  });

  test('leaves disks uncleaned where cleaning is off, and then erases nothing', () => {
    const status = { provisioning: { state: 'provisioned', ID: '', image: IMAGE } };
    const uncleaned = deprovisioning(subjectOf(object({ spec: { automatedCleaningMode: 'disabled' }, status })));
    expect(uncleaned).toMatchObject({ kinds: ['power-off'] });
    expect(uncleaned?.does).toContain('and leave its disks uncleaned');
  });

  test('powers off, or reboots for whoever asks, also where a server is never off', () => {
    const reboots = { annotations: { 'reboot.metal3.io/b': '', 'reboot.metal3.io/a': '' } };
    expect(poweringOff(subjectOf(object({ spec: { online: false } })), { on: false })?.does).toBe('power it off');
    const rebooting = 'reboot it for reboot.metal3.io/a, reboot.metal3.io/b';
    expect(poweringOff(subjectOf(object(reboots)), { on: false })?.does).toBe(rebooting);
    expect(poweringOff(subjectOf(object(reboots)), { on: true, rebootFor: ['reboot.metal3.io/a'] })?.does).toBe(
      rebooting,
    );
  });

  test('of a preparation builds volumes, changes firmware, or both', () => {
    const subject = subjectOf(object());
    const firmwareUpdates = [{ component: 'bios', url: 'http://firmware/bios' }];
    expect(preparing(subject, preparation({ targetRaid: RAID }))).toMatchObject({ kinds: ['erase'] });
    expect(preparing(subject, preparation({ biosSettings: { Boot: 'Uefi' } }))).toMatchObject({ kinds: ['firmware'] });
    expect(preparing(subject, preparation({ targetRaid: RAID, firmwareUpdates }))).toMatchObject({
      kinds: ['erase', 'firmware'],
      does: 'build its RAID volumes, which erases their disks and change its firmware',
    });
  });
});

describe('an activity', () => {
  const ALL = { 'temper/approval': 'all' };
  const order = preparation({ targetRaid: RAID });

  test('prepares what is approved: those volumes, and no others', () => {
    const { code = '' } = preparing(subjectOf(object()), order) ?? {};
    const approved = object({ annotations: { ...ALL, 'temper/approval-given': `${code} ada` } });
    expect(unapproved(approved, { name: 'prepare', order })).toBeUndefined();
    const other = preparation({ targetRaid: { softwareRAIDVolumes: [{ level: '0', rootVolume: false }] } });
    expect(unapproved(approved, { name: 'prepare', order: other })).toMatch(/^nobody has approved prepare-/);
  });

  test.each([
    ['firmware', { biosSettings: { Boot: 'Uefi' } }, 'change its firmware'],
    ['firmware', { targetRaid: RAID }, undefined],
    ['erase', { biosSettings: { Boot: 'Uefi' } }, undefined],
    ['erase', { targetRaid: RAID }, 'build its RAID volumes, which erases their disks'],
  ])('of a host that asks for approval of %s alone, with %j: %s', (needed, change, does) => {
    const wish = preparation(change);
    const asking = { 'temper/approval': needed };
    const { code = '' } = preparing(subjectOf(object()), wish) ?? {};
    const request = { name: 'prepare', order: wish } as const;
    expect(unapproved(object({ annotations: asking }), request)).toBe(
      does === undefined ? undefined : `nobody has approved ${code}, to ${does}`,
    );
    const approved = { ...asking, 'temper/approval-given': `${code} ada` };
    expect(unapproved(object({ annotations: approved }), request)).toBeUndefined();
  });

  test('registers, inspects, aborts and deletes without an approval', () => {
    const host = object({ annotations: ALL });
    for (const name of ['inspect', 'abort'] as const)
      expect(unapproved(host, { name, order: { host: HOST } })).toBeUndefined();
    expect(unapproved(host, { name: 'delete', order: { host: HOST, nodeId: 'n' } })).toBeUndefined();
    expect(unapproved(host, { name: 'register', order: preparation() })).toBeUndefined();
  });
});

describe('an approval is used', () => {
  const given = (step: string) => ({
    'temper/approval-given': answerValue({ code: `${step}-${'0'.repeat(32)}`, by: 'ada', reason: 'go' }),
  });
  const power = (on: boolean) => ({
    name: 'power' as const,
    order: { host: HOST, nodeId: 'n', on, mode: 'soft' as const, force: false },
  });
  const status = { provisioning: provisionedWith() };
  const host = (step: string) =>
    aHost({ state: 'provisioned', status, seen: { annotations: given(step), spec: { online: true, image: IMAGE } } });

  test('by its own step alone', () => {
    const used = ['temper/approval-given'];
    expect(withApprovalUsed(host('power-off'), power(false)).consumedAnnotations).toEqual(used);
    expect(withApprovalUsed(host('power-off'), power(true)).consumedAnnotations).toEqual([]);
    expect(withApprovalUsed(host('deprovision'), power(false)).consumedAnnotations).toEqual([]);
    const prepare = { name: 'prepare', order: preparation() } as const;
    expect(withApprovalUsed(host('prepare'), prepare).consumedAnnotations).toEqual(used);
    const adopt = { name: 'adopt', order: { host: HOST, nodeId: 'n', retry: false } } as const;
    expect(withApprovalUsed(host('deprovision'), adopt).consumedAnnotations).toEqual([]);
  });

  test('when its power was switched off', () => {
    const done = record(host('power-off'), power(false), { kind: 'done' }, { now: NOW, dice: 0 });
    expect(done.consumedAnnotations).toEqual(['temper/approval-given']);
    expect(nextStep(done, NOW).kind).not.toBe('wait');
  });
});
