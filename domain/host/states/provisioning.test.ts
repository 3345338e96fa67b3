import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { next, said } from '../../../test/builders/step.ts';
import type { ProvisionOrder } from '../../ironic/orders.ts';
import { stillWanted } from '../desired/still-wanted.ts';
import type { HostMemory } from '../memory/memory.ts';
import { nextStep } from '../next-step.ts';
import { fail } from '../outcome/failure.ts';
import { record, startOf } from '../record.ts';

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
  test('names its attempt, which is the same with other data', () => {
    const operationHistory = { provision: { start: '2026-01-01T00:00:00Z', end: null } };
    const orderOf = (data: object): ProvisionOrder => {
      const step = nextStep(
        aHost({ state: 'provisioning', status: { ...status, operationHistory }, seen: { spec: { ...spec, ...data } } }),
        NOW,
      );
      if (step.kind !== 'run' || step.operation.name !== 'provision') throw new Error('it should provision');
      return step.operation.order;
    };
    expect(orderOf({}).attempt).toMatch(/^uid-1 2026-01-01T00:00:00Z/);
    expect(orderOf({ userData: { name: 'other' } }).attempt).toBe(orderOf({}).attempt);
  });
  test('becomes provisioned with the image that was deployed, whatever the spec says now', () => {
    const finished = { name: 'provision', image: { ...IMAGE, url: 'http://images/old.raw' } } as const;
    const step = nextStep(aHost({ state: 'provisioning', status, seen: { spec }, finished }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'provisioned',
      memory: { status: { provisioning: { image: { url: 'http://images/old.raw' } }, provisioningFailCount: 0 } },
    });
  });
  test('that was deployed forgets the failures before', () => {
    const finished = { name: 'provision', image: IMAGE } as const;
    const host = aHost({
      state: 'provisioning',
      status: { ...status, provisioningFailCount: 2 },
      seen: { spec },
      finished,
    });
    const step = nextStep({ ...host, deploymentFailure: 'no disk' }, NOW);
    if (step.kind !== 'become') throw new Error('it should be provisioned');
    expect(step.memory.deploymentFailure).toBeUndefined();
  });
  test('is taken down when the image is withdrawn', () => {
    expect(next({ state: 'provisioning', status, seen: { spec: { online: true } } })).toBe('become deprovisioning');
  });
  test('is deprovisioned when another image is desired', () => {
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
      cause: 'provisioning error: no disk',
      until: NOW + 2 * 60_000,
    });
    const step = nextStep(failed, NOW + 2 * 60_000);
    if (step.kind !== 'become') throw new Error('it should be taken down');
    expect(step.state).toBe('deprovisioning');
    expect(step.memory.status).toMatchObject({ provisioningFailCount: 1, errorCount: 1, operationalStatus: 'OK' });
    expect(step.memory.status.errorType).toBeUndefined();
  });
});

describe('a host with a custom deploy step', () => {
  const custom = { online: true, customDeploy: { method: 'install' } };
  const orderOf = (memory: HostMemory): ProvisionOrder => {
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run' || step.operation.name !== 'provision')
      throw new Error(`it should provision: ${step.kind}`);
    return step.operation.order;
  };
  const task = (memory: HostMemory) => ({ name: 'provision', order: orderOf(memory) }) as const;

  test.each([
    ['without an image', custom, {}, 'become provisioning'],
    ['with an image', { ...custom, image: IMAGE }, {}, 'become provisioning'],
    ['that is on it already', custom, { customDeploy: { method: 'install' } }, 'power'],
    ['other than the one on it', custom, { customDeploy: { method: 'other' } }, 'become provisioning'],
    ['without a name', { ...custom, customDeploy: { method: '' } }, {}, 'power'],
    ['while it is to be off', { ...custom, online: false }, {}, 'wait'],
  ])('%s is deployed from available: %#', (_, spec, more, expected) => {
    const provisioning = { ...aHost({ state: 'available' }).status.provisioning, ...more };
    expect(next({ state: 'available', seen: { spec }, status: { provisioning } })).toBe(expected);
  });

  test('is deployed by it alone, and shows it, not an image, once that is done', () => {
    const memory = aHost({ state: 'provisioning', seen: { spec: custom } });
    expect(orderOf(memory)).toMatchObject({ customDeployMethod: 'install' });
    expect(orderOf(memory)).not.toHaveProperty('image');
    const done = record(startOf(memory, task(memory)), task(memory), { kind: 'done' }, CHANCE);
    const step = nextStep(done, NOW);
    if (step.kind !== 'become') throw new Error('it should be provisioned');
    expect(step.state).toBe('provisioned');
    expect(step.memory.status.provisioning).toMatchObject({ image: { url: '' }, customDeploy: { method: 'install' } });
  });

  test('and no image is deployed, whatever image was tried last', () => {
    expect(next({ state: 'provisioning', seen: { spec: custom }, status: { lastAttemptedImage: IMAGE } })).toBe(
      'run provision',
    );
  });

  test('is taken down when the image of the attempt is withdrawn', () => {
    const memory = aHost({
      state: 'provisioning',
      seen: { spec: { ...custom, image: IMAGE } },
      status: { lastAttemptedImage: IMAGE },
    });
    const without = { ...startOf(memory, task(memory)), seen: aHost({ seen: { spec: custom } }).seen };
    expect(said(nextStep(without, NOW))).toBe('become deprovisioning');
  });

  test('is deprovisioned when another step is desired, even though none is shown yet', () => {
    const memory = aHost({ state: 'provisioning', seen: { spec: custom } });
    const given = task(memory);
    const other = { ...memory.seen, spec: { ...memory.seen.spec, customDeploy: { method: 'other' } } };
    const changed = { ...startOf(memory, given), seen: other };
    expect(stillWanted(changed, given)).toBe(false);
    expect(said(nextStep(record(changed, given, { kind: 'cancelled' }, CHANCE), NOW))).toBe('become deprovisioning');
  });

  test.each([
    ['keeps what it runs', custom, { customDeploy: { method: 'install' } }, 'power'],
    ['is taken down for another step', custom, { customDeploy: { method: 'other' } }, 'become deprovisioning'],
    [
      'is taken down for an image alone',
      { online: true, image: IMAGE },
      { customDeploy: { method: 'install' }, image: IMAGE },
      'become deprovisioning',
    ],
    [
      'is taken down when its image is withdrawn',
      custom,
      { customDeploy: { method: 'install' }, image: IMAGE },
      'become deprovisioning',
    ],
    ['keeps the image it runs when a step is added to it', { ...custom, image: IMAGE }, { image: IMAGE }, 'power'],
    ['is taken down for nothing', { online: true }, { customDeploy: { method: 'install' } }, 'become deprovisioning'],
  ])('%s once provisioned', (_, spec, more, expected) => {
    const provisioning = { state: 'provisioned' as const, ID: aNode().id, ...more };
    expect(
      next({ state: 'provisioned', node: aNode({ state: 'active' }), seen: { spec }, status: { provisioning } }),
    ).toBe(expected);
  });
});

test('a warning that goes with a failure is an Event of its own', () => {
  const memory = aHost({
    state: 'provisioning',
    seen: { spec: { online: true, image: IMAGE } },
    status: { lastAttemptedImage: IMAGE },
  });
  const step = nextStep(memory, NOW);
  if (step.kind !== 'run') throw new Error('it should provision');
  const warning = { reason: 'ImageAuthParseError', message: 'no' };
  const failed = record(memory, step.operation, { kind: 'failed', message: 'no login', warning }, CHANCE);
  expect(failed.events).toMatchObject([
    { reason: 'ImageAuthParseError', message: 'no', warning: true },
    { reason: 'ProvisioningError', message: 'no login' },
  ]);
  expect(failed.status.errorMessage).toBe('no login');
});
