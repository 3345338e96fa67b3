import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aHost, aSnapshot, CHANCE, NOW } from '../../../test/builders/host.ts';
import { fail, park } from '../outcome/failure.ts';
import { show } from '../report/show.ts';
import { type HostMemory, withEvent, withShown } from './memory.ts';
import { DEFAULT_HOST_SETTINGS } from './settings.ts';
import { absorb, begin } from './take-in.ts';

const failed = (): HostMemory => fail(aHost({ state: 'registering' }), 'registration error', 'wrong password', CHANCE);

describe('a snapshot', () => {
  test('is taken twice as if it were taken once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 5 }), (version, generation) => {
        const seen = aSnapshot({ resourceVersion: String(version), generation });
        const once = absorb(failed(), seen);
        expect(absorb(once, seen)).toEqual(once);
      }),
    );
  });
});

describe('a count of failed deployments that another client wrote', () => {
  const counted = () => aHost({ state: 'available', status: { provisioningFailCount: 5 } });
  const reset = aSnapshot({ resourceVersion: '101', failCountWritten: 0 });
  test('is taken over and shown', () => {
    const memory = absorb(counted(), reset);
    expect(memory.status.provisioningFailCount).toBe(0);
    expect(show(memory)).not.toEqual(show(counted()));
  });
  test.each([
    [0, undefined],
    [2, 'no disk'],
  ])('of %i leaves as the last failure: %s', (failCountWritten, error) => {
    const written = aSnapshot({ resourceVersion: '101', failCountWritten });
    expect(absorb({ ...counted(), deploymentFailure: 'no disk' }, written).deploymentFailure).toBe(error);
  });
  test('counts once: a repeated snapshot does not reset failures since then', () => {
    const memory = absorb(counted(), reset);
    const failedSince = { ...memory, status: { ...memory.status, provisioningFailCount: 1 } };
    expect(absorb(failedSince, reset).status.provisioningFailCount).toBe(1);
  });
});

describe('a backoff', () => {
  test.each([
    ['the spec changes', { generation: 2, spec: { online: true } }],
    ['another architecture is asked for', { generation: 2, spec: { architecture: 'aarch64' } }],
    ['an annotation changes', { annotations: { 'reboot.metal3.io': '' } }],
    ['the Secret changes', { bmcSecret: { name: 'node-1-bmc', resourceVersion: '120' } }],
    ['somebody resets the count of failed deployments', { failCountWritten: 2 }],
    ['the operator allows more deployments', { settings: { ...DEFAULT_HOST_SETTINGS, maxProvisioningRetries: 9 } }],
    ['deletion is asked for', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('ends when %s', (_, change) => {
    expect(absorb(failed(), aSnapshot({ resourceVersion: '130', ...change })).retry).toBeNull();
  });
  test('goes on when an annotation was only taken off', () => {
    const annotated = aHost({ state: 'registering', seen: { annotations: { 'inspect.metal3.io': '' } } });
    const memory = fail(annotated, 'registration error', 'wrong password', CHANCE);
    expect(absorb(memory, aSnapshot({ resourceVersion: '130' })).retry).toEqual(memory.retry);
  });
  test('goes on when only something else about the object changed', () => {
    const memory = failed();
    expect(absorb(memory, aSnapshot({ resourceVersion: '130' })).retry).toEqual(memory.retry);
  });
  test('goes on when the spec changed only because the architecture that was found is written into it', () => {
    const found = { ...failed(), architecture: 'x86_64' };
    const seen = aSnapshot({ resourceVersion: '130', generation: 2, spec: { architecture: 'x86_64' } });
    expect(absorb(found, seen).retry).toEqual(found.retry);
  });
  test('goes on when the Secret changed only because it was claimed', () => {
    const memory = failed();
    const claimed = { ...memory, status: { ...memory.status, triedCredentials: { credentialsVersion: '120' } } };
    const seen = aSnapshot({ resourceVersion: '130', bmcSecret: { name: 'node-1-bmc', resourceVersion: '120' } });
    expect(absorb(claimed, seen).retry).toEqual(memory.retry);
  });
  test.each([
    ['ends when the network of the deploy agent has come', null, null],
    ['goes on when its Secret changed, which claiming it does too', '8', 'still'],
  ])('%s', (_, resourceVersion, expected) => {
    const network = (version: string | null) => ({
      preprovisioningNetworkData: { name: 'net', resourceVersion: version },
    });
    const memory = fail(
      aHost({ state: 'registering', seen: network(resourceVersion) }),
      'registration error',
      'no network',
      CHANCE,
    );
    const { retry } = absorb(memory, aSnapshot({ resourceVersion: '130', ...network('9') }));
    expect(retry).toEqual(expected === null ? null : memory.retry);
  });
  test('without an end is ended by a change too', () => {
    const parked = park(aHost({ state: 'registering' }), 'registration error', 'no Secret', NOW);
    const seen = aSnapshot({ resourceVersion: '130', bmcSecret: { name: 'node-1-bmc', resourceVersion: '120' } });
    expect(absorb(parked, seen).retry).toBeNull();
  });
});

describe('a host without a memory', () => {
  const provisioning = { state: 'provisioned', ID: 'id', image: { url: 'http://images/a.raw' } };
  const carried = {
    operationalStatus: 'OK',
    errorMessage: '',
    errorCount: 0,
    provisioningFailCount: 0,
    poweredOn: true,
  };

  test('goes on where its CR says it was', () => {
    const memory = begin(aSnapshot({ status: { ...carried, provisioning } as never, hasHardware: true }));
    expect(memory.status.provisioning).toEqual(provisioning);
    expect(memory.inspected).toBe(true);
    expect(memory.registration).toBeNull();
  });
  test('whose CR has an unknown state starts as a new host', () => {
    const odd = { ...provisioning, state: 'on the moon' };
    expect(begin(aSnapshot({ status: { ...carried, provisioning: odd } as never })).status.provisioning.state).toBe('');
  });
});

describe('a view that the bridge has taken', () => {
  test('need not be handed over again, nor the events in it', () => {
    const memory = withEvent(withEvent(begin(aSnapshot()), 'A', 'a'), 'B', 'b');
    const later = withEvent(memory, 'C', 'c');
    expect(withShown(later, show(memory))).toMatchObject({
      hasFinalizer: true,
      shownPower: false,
      events: [{ reason: 'C' }],
    });
  });
});
