import { describe, expect, test } from 'vitest';
import { aHost, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { next } from '../../../test/builders/step.ts';
import { fail } from '../failure.ts';
import { nextStep } from '../machine.ts';

describe('a provisioning host', () => {
  const spec = { online: true, image: IMAGE };
  const status = { lastAttemptedImage: IMAGE };
  test('is deployed in a child workflow with image, hints and the names of its data', () => {
    const data = { userData: { name: 'user' }, networkData: { name: 'net' }, metaData: { name: 'meta' } };
    const step = nextStep(aHost({ state: 'provisioning', status, seen: { spec: { ...spec, ...data } } }), NOW);
    expect(step).toMatchObject({
      kind: 'run',
      operation: { name: 'provision', order: { image: IMAGE, rootDeviceHints: { deviceName: '/dev/sda' }, ...data } },
    });
  });
  test('becomes provisioned with the image that was deployed, whatever the spec says by now', () => {
    const finished = { name: 'provision', image: { ...IMAGE, url: 'http://images/old.raw' } } as const;
    const step = nextStep(aHost({ state: 'provisioning', status, seen: { spec }, finished }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'provisioned',
      memory: { status: { provisioning: { image: { url: 'http://images/old.raw' } }, provisioningFailCount: 0 } },
    });
  });
  test('is taken down when the image is withdrawn', () => {
    expect(next({ state: 'provisioning', status, seen: { spec: { online: true } } })).toBe('become deprovisioning');
  });
  test('is taken down when another image is asked for', () => {
    const other = { ...spec, image: { ...IMAGE, url: 'http://images/b.raw' } };
    expect(next({ state: 'provisioning', status, seen: { spec: other } })).toBe('become deprovisioning');
  });
  test('that failed waits for its backoff, then is taken down with the failure counted', () => {
    const failed = fail(
      aHost({ state: 'provisioning', status, seen: { spec } }),
      'provisioning error',
      'no disk',
      CHANCE,
    );
    const waiting = nextStep(failed, NOW + 1000);
    expect(waiting).toEqual({
      kind: 'wait',
      reason: 'waiting to try again after provisioning error: no disk',
      until: NOW + 2 * 60_000,
    });
    const step = nextStep(failed, NOW + 2 * 60_000);
    if (step.kind !== 'become') throw new Error('it should be taken down');
    expect(step.state).toBe('deprovisioning');
    expect(step.memory.status).toMatchObject({ provisioningFailCount: 1, errorCount: 1, operationalStatus: 'OK' });
    expect(step.memory.status.errorType).toBeUndefined();
  });
});
