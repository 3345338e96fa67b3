import { describe, expect, test } from 'vitest';
import { aHost, aNode, IMAGE, NOW } from '../../../test/builders/host.ts';
import { next, said } from '../../../test/builders/step.ts';
import { DEFAULT_HOST_SETTINGS } from '../memory/settings.ts';
import { nextStep } from '../next-step.ts';
import { situationOf } from '../report/situation.ts';

const GIVEN_UP =
  'provisioning failed 5 times, retry limit (5) reached; change image or reset provisioningFailCount to retry';

describe('an available host', () => {
  test('that asks for RAID does not get an image on disks without it', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    const spec = { online: true, image: IMAGE, raid, rootDeviceHints: { deviceName: '/dev/sda' } };
    expect(next({ state: 'available', seen: { spec } })).toBe('become preparing');
  });
  test('waits for an image', () => {
    expect(nextStep(aHost({ state: 'available' }), NOW)).toEqual({
      kind: 'wait',
      reason: 'off, as spec.online says; waiting for an image in spec.image',
    });
  });
  test('is provisioned with the image it is given, once it is online', () => {
    const step = nextStep(aHost({ state: 'available', seen: { spec: { online: true, image: IMAGE } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'provisioning',
      memory: { status: { lastAttemptedImage: IMAGE } },
    });
  });
  test('is not provisioned while it is to be offline', () => {
    expect(next({ state: 'available', seen: { spec: { image: IMAGE } } })).toBe('wait');
  });
  test('shows the root device hints it is given at once, and needs no preparation for them', () => {
    const rootDeviceHints = { hctl: '0:0:0:0' };
    const step = nextStep(aHost({ state: 'available', seen: { spec: { rootDeviceHints } } }), NOW);
    if (step.kind !== 'note') throw new Error('it should note the hints');
    expect(step.memory.status.provisioning).toMatchObject({ rootDeviceHints, state: 'available' });
    expect(said(nextStep(step.memory, NOW))).toBe('wait');
  });
  test('is inspected again, with a new inventory, when the annotation requests it', () => {
    const step = nextStep(aHost({ state: 'available', seen: { annotations: { 'inspect.metal3.io': '' } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'inspecting',
      memory: { refreshInspection: true },
    });
  });
  test('is powered on when it is to be online', () => {
    const step = nextStep(aHost({ state: 'available', seen: { spec: { online: true } } }), NOW);
    expect(step).toMatchObject({ kind: 'act', action: { name: 'power', order: { on: true, mode: 'soft' } } });
  });
  test('is not powered off when powering off is disabled', () => {
    const node = aNode({ poweredOn: true });
    expect(next({ state: 'available', node, seen: { spec: { disablePowerOff: true } } })).toBe('wait');
  });
  test('tries an image as often as it takes when there is no limit', () => {
    const status = { provisioningFailCount: 50, lastAttemptedImage: IMAGE };
    const settings = { ...DEFAULT_HOST_SETTINGS, maxProvisioningRetries: 0 };
    const seen = { settings, spec: { online: true, image: IMAGE } };
    expect(next({ state: 'available', status, seen })).toBe('become provisioning');
  });
  test('stops trying an image that failed five times, and says so once', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
    const host = aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } });
    const step = nextStep(host, NOW);
    if (step.kind !== 'note') throw new Error('it should note the failure');
    expect(step.memory.status).toMatchObject({ errorType: 'provisioning error' });
    expect(step.memory.status.errorMessage).toBe(GIVEN_UP);
    expect(said(nextStep(step.memory, NOW))).toBe('wait');
  });
  test('that gave an image up tells the last failure behind the words of upstream, without the image', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
    const deploymentFailure = 'Image provisioning failed (url: http://images/a.raw, checksum: x): status code 404';
    const host = { ...aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } }) };
    const step = nextStep({ ...host, deploymentFailure }, NOW);
    if (step.kind !== 'note') throw new Error('it should note the failure');
    expect(step.memory.status.errorMessage).toBe(`${GIVEN_UP}; the last failure: status code 404`);
    expect(situationOf(step.memory)).toContain('(failure 5 of 5 for this image): provisioning failed 5 times');
    expect(situationOf(step.memory)).toContain('status code 404');
    expect(step.memory.events.at(-1)?.message).toContain('status code 404');
  });
  test('that gave an image up keeps what it shows when its memory begins anew', () => {
    const seen = { spec: { online: true, image: IMAGE } };
    const status = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
    const host = { ...aHost({ state: 'available', status, seen }), deploymentFailure: 'status code 404' };
    const parked = nextStep(host, NOW);
    if (parked.kind !== 'note') throw new Error('it should note the failure');
    const anew = aHost({ state: 'available', status: parked.memory.status, seen });
    const step = nextStep(anew, NOW);
    expect(step).toEqual({ kind: 'note', memory: { ...anew, retry: { kind: 'on change' } } });
  });
  test('that is given another image does not take the failure of the one before for a failure of this one', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: { ...IMAGE, url: 'http://images/b.raw' } };
    const host = aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } });
    const step = nextStep({ ...host, deploymentFailure: 'status code 404' }, NOW);
    if (step.kind !== 'note') throw new Error('it should note the change');
    expect(step.memory.deploymentFailure).toBeUndefined();
  });
  test('counts from zero for another image', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: { ...IMAGE, url: 'http://images/b.raw' } };
    const step = nextStep(aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } }), NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { status: { provisioningFailCount: 0 } } });
  });
  test('forgets the failed image when none is desired any more', () => {
    const status = { provisioningFailCount: 2, lastAttemptedImage: IMAGE };
    const step = nextStep(aHost({ state: 'available', status }), NOW);
    if (step.kind !== 'note') throw new Error('it should note the change');
    expect(step.memory.status.lastAttemptedImage).toBeUndefined();
  });
  test('counts from zero when it is unknown which image failed', () => {
    const seen = { spec: { online: true, image: IMAGE } };
    const step = nextStep(aHost({ state: 'available', status: { provisioningFailCount: 5 }, seen }), NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { status: { provisioningFailCount: 0 } } });
  });
  test('remembers the image it had last, if that did not fail', () => {
    const host = aHost({ state: 'available', status: { lastAttemptedImage: IMAGE } });
    expect(said(nextStep(host, NOW))).toBe('wait');
  });
  test('becomes externally provisioned when it is marked so', () => {
    expect(next({ state: 'available', seen: { spec: { externallyProvisioned: true } } })).toBe(
      'become externally provisioned',
    );
  });
});
