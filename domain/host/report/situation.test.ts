import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, provisionedWith } from '../../../test/builders/host.ts';
import type { HostMemory } from '../memory/memory.ts';
import { fail, park } from '../outcome/failure.ts';
import { situationOf } from './situation.ts';

type Host = NonNullable<Parameters<typeof aHost>[0]>;

const STARTED = { start: '2026-01-01T00:00:00Z', end: null };
const NEVER = { start: null, end: null };
const history = (operation: string): Pick<HostMemory['status'], 'operationHistory'> => ({
  operationHistory: { register: NEVER, inspect: NEVER, provision: NEVER, deprovision: NEVER, [operation]: STARTED },
});
const on = { online: true };
const up = aNode({ state: 'active', poweredOn: true });
const deployed: Host = { state: 'provisioned', node: up, status: { poweredOn: true, provisioning: provisionedWith() } };
const deploying = (change: Partial<HostMemory['status']> = {}): Host => ({
  state: 'provisioning',
  status: { ...history('provision'), lastAttemptedImage: IMAGE, ...change },
  seen: { spec: { ...on, image: IMAGE } },
});
const failedDeployment = (count: number): HostMemory =>
  fail(aHost(deploying({ provisioningFailCount: count })), 'provisioning error', 'the disk is on fire', CHANCE);
const unlimited = { maxProvisioningRetries: 0, provisioningLimit: 3, buildsPreprovisioningImages: false };

describe('a host says', () => {
  test.each<[string, HostMemory]>([
    [
      'waiting for BMC details in spec.bmc',
      aHost({
        state: 'unmanaged',
        status: { operationalStatus: 'discovered' },
        seen: { spec: { bmc: { address: '', credentialsName: '' } } },
      }),
    ],
    [
      'registering with Ironic since 2026-01-01T00:00:00Z',
      aHost({ state: 'registering', status: history('register') }),
    ],
    ['inspecting the hardware since 2026-01-01T00:00:00Z', aHost({ state: 'inspecting', status: history('inspect') })],
    ['preparing the host for a deployment', aHost({ state: 'preparing' })],
    ['waiting for an image in spec.image', aHost({ state: 'available', node: up, seen: { spec: on } })],
    ['off, as spec.online says; waiting for an image in spec.image', aHost({ state: 'available' })],
    ['waiting for an image in spec.image', aHost({ state: 'available', seen: { spec: on } })],
    [
      'off, as spec.online says; waiting for spec.online',
      aHost({ state: 'available', seen: { spec: { image: IMAGE } } }),
    ],
    ['next: provisioning', aHost({ state: 'available', seen: { spec: { ...on, image: IMAGE } } })],
    ['deploying http://images/a.raw since 2026-01-01T00:00:00Z', aHost(deploying())],
    ['', aHost({ ...deployed, seen: { spec: { ...on, image: IMAGE } } })],
    ['', aHost({ ...deployed, node: { ...up, poweredOn: null }, seen: { spec: { ...on, image: IMAGE } } })],
    ['', aHost({ ...deployed, seen: { spec: { online: false, image: IMAGE } } })],
    [
      'off, as spec.online says; provisioned as desired',
      aHost({ ...deployed, node: { ...up, poweredOn: false }, seen: { spec: { image: IMAGE } } }),
    ],
    [
      'kept off until these annotations are removed: reboot.metal3.io/mine',
      aHost({
        ...deployed,
        node: { ...up, poweredOn: false },
        seen: { spec: { ...on, image: IMAGE }, annotations: { 'reboot.metal3.io/mine': '' } },
      }),
    ],
    [
      'removing the image since 2026-01-01T00:00:00Z',
      aHost({ state: 'deprovisioning', status: history('deprovision') }),
    ],
    [
      'powering off before the deletion',
      aHost({ state: 'powering off before delete', seen: { deletionTimestamp: 'x' } }),
    ],
    ['deleting the node from Ironic', aHost({ state: 'deleting', seen: { deletionTimestamp: 'x' } })],
    [
      'detached by the annotation baremetalhost.metal3.io/detached',
      aHost({
        ...deployed,
        status: { ...deployed.status, operationalStatus: 'detached' },
        seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } },
      }),
    ],
  ])('%j', (words, memory) => {
    expect(situationOf(memory)).toBe(words);
    // What is written to a paused host stays.
    const paused = {
      ...memory.seen,
      annotations: { ...memory.seen.annotations, 'baremetalhost.metal3.io/paused': '' },
    };
    expect(situationOf({ ...memory, seen: paused })).toBe(words);
  });

  test('that it waits for a slot, without its place in the queue', () => {
    const slot = { ticket: 't', askedAt: 0, limit: 20, state: 'queued', ahead: 7 } as const;
    const delayed = aHost({ state: 'inspecting', slot, status: { operationalStatus: 'delayed' } });
    const words = 'waiting for one of 20 slots in Ironic';
    expect(situationOf(delayed)).toBe(words);
    const available = aHost({
      state: 'available',
      slot,
      status: { operationalStatus: 'delayed' },
      seen: { spec: { ...on, image: IMAGE } },
    });
    expect(situationOf(available)).toBe(`${words} before provisioning`);
  });

  test('which failure it is, the last error, and when it tries again', () => {
    const error = 'the disk is on fire; next try at 2026-01-01T00:02:00Z';
    expect(situationOf(failedDeployment(1))).toBe(`provisioning error (failure 2 of 5 for this image): ${error}`);
    const known = failedDeployment(1);
    const free = { ...known, seen: { ...known.seen, settings: unlimited } };
    expect(situationOf(free)).toBe(`provisioning error (failure 2 for this image): ${error}`);
    const refused = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    expect(situationOf(refused)).toBe('registration error (failure 1): no route; next try at 2026-01-01T00:02:00Z');
    expect(situationOf({ ...refused, retry: null })).toBe('registration error (failure 1): no route');
    const missing = park(aHost({ state: 'registering' }), 'registration error', 'no Secret');
    expect(situationOf(missing)).toBe('registration error (failure 1): no Secret; waits for a change');
  });

  test('after a failed deployment, which attempt it is and why the last one failed', () => {
    const again = { ...aHost(deploying({ provisioningFailCount: 2 })), deploymentFailure: 'the disk is on fire' };
    const since = 'since 2026-01-01T00:00:00Z';
    expect(situationOf(again)).toBe(`deploying http://images/a.raw ${since}, attempt 3 of 5: the disk is on fire`);
    const removing = aHost({
      state: 'deprovisioning',
      status: { ...history('deprovision'), provisioningFailCount: 2 },
    });
    expect(situationOf({ ...removing, deploymentFailure: 'the disk is on fire' })).toBe(
      `removing the image ${since} after failure 2 of 5 for this image: the disk is on fire`,
    );
  });

  test('that the tries for an image are used up', () => {
    const seen = { spec: { ...on, image: IMAGE } };
    const given = park(
      aHost({ state: 'available', status: { provisioningFailCount: 5 }, seen }),
      'provisioning error',
      'x',
    );
    expect(situationOf(given)).toBe('provisioning error (failure 5 of 5 for this image): x; waits for a change');
  });

  test('who holds it back, and the error besides', () => {
    const annotations = { 'temper/quarantine': '{"by":"ada","reason":"the fan is loud"}' };
    const held = 'in quarantine, by ada: the fan is loud; release ends that';
    expect(situationOf(aHost({ state: 'available', seen: { annotations } }))).toBe(held);
    const failed = fail(
      aHost({ state: 'registering', seen: { annotations } }),
      'registration error',
      'no route',
      CHANCE,
    );
    expect(situationOf(failed)).toContain(`${held}; registration error (failure 1): no route`);
  });

  test('no more than the beginning of a long error, and nothing of the secrets in a URL', () => {
    const long = fail(aHost({ state: 'registering' }), 'registration error', 'x'.repeat(2_000), CHANCE);
    expect(situationOf(long).length).toBeLessThan(700);
    const url = 'https://me:canary@images/a?sig=canary';
    const told = aHost(deploying({ lastAttemptedImage: { ...IMAGE, url } }));
    expect(situationOf(told)).toBe('deploying https://images/a since 2026-01-01T00:00:00Z');
  });
});
