import { describe, expect, test } from 'vitest';
import { aHost, aSnapshot, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import type { HostMemory } from './memory.ts';
import { absorb } from './take-in.ts';

const spec = { online: true, image: IMAGE, metaData: { name: 'meta' } };
const message = 'Validation failed: Secret meta, key metaData, line 2, column 1: a tab cannot indent';

/** A snapshot of the host that shows its error, while the Secret has this version. */
const seenWith = (resourceVersion: string | null) => ({ spec, dataSecrets: [{ name: 'meta', resourceVersion }] });
const later = (memory: HostMemory, version: string | null): HostMemory => absorb(memory, aSnapshot(seenWith(version)));
const step = (memory: HostMemory, now = NOW): string => said(nextStep(memory, now));
/** When each backoff here is over. */
const LATER = NOW + 3_600_000;

/** A host whose deployment failed by the text in version 8 of a Secret. */
function withWrongData(): HostMemory {
  const host = aHost({ state: 'provisioning', status: { lastAttemptedImage: IMAGE }, seen: { spec } });
  const run = nextStep(host, NOW);
  if (run.kind !== 'run') throw new Error('it should be deployed');
  const wrongSecret = { name: 'meta', resourceVersion: '8' };
  return record(host, run.operation, { kind: 'failed', message, wrongSecret }, CHANCE);
}

describe('a host whose deployment failed by a text in a Secret', () => {
  test('shows the error, and waits without being cleaned', () => {
    const memory = withWrongData();
    expect(memory.status).toMatchObject({ errorType: 'provisioning error', errorMessage: message });
    expect(nextStep(memory, NOW + 1_000).kind).toBe('wait');
  });

  test('is tried again after its backoff, without being deprovisioned or counted', () => {
    const retried = nextStep(withWrongData(), LATER);
    if (retried.kind !== 'note') throw new Error('its error should be cleared');
    expect(retried.memory.status).toMatchObject({ operationalStatus: 'OK', provisioningFailCount: 0 });
    expect(step(retried.memory, LATER)).toBe('run provision');
  });

  test('is deprovisioned after the next failure that has another reason', () => {
    const retried = nextStep(withWrongData(), LATER);
    if (retried.kind !== 'note') throw new Error('its error should be cleared');
    const run = nextStep(retried.memory, LATER);
    if (run.kind !== 'run') throw new Error('it should be deployed');
    const failed = record(retried.memory, run.operation, { kind: 'failed', message: 'no disk' }, CHANCE);
    expect(step(failed, LATER)).toBe('become deprovisioning');
  });

  test('is deprovisioned when its image is withdrawn', () => {
    const withdrawn = absorb(withWrongData(), aSnapshot({ spec: { online: true } }));
    const cleared = nextStep(withdrawn, NOW);
    if (cleared.kind !== 'note') throw new Error('its error should be cleared');
    expect(step(cleared.memory)).toBe('become deprovisioning');
  });

  test.each([
    ['8', 'wait'],
    [null, 'wait'],
    ['9', 'note'],
  ])('with version %s of the Secret: %s', (version, expected) => {
    expect(nextStep(later(withWrongData(), version), NOW + 1_000).kind).toBe(expected);
  });
});

test('a host whose registration failed by a text in a Secret is tried again when that is corrected', () => {
  const seen = (resourceVersion: string) =>
    aSnapshot({
      spec: { preprovisioningNetworkDataName: 'net' },
      preprovisioningNetworkData: { name: 'net', resourceVersion },
    });
  const noted = nextStep(absorb(aHost({ state: 'registering' }), seen('7')), NOW);
  if (noted.kind !== 'note') throw new Error('its registration should begin');
  const host = noted.memory;
  const act = nextStep(host, NOW);
  if (act.kind !== 'act' || act.action.name !== 'register') throw new Error('it should be registered');
  const wrongSecret = { name: 'net', resourceVersion: '8' };
  const failed = record(host, act.action, { kind: 'failed', message: 'wrong', wrongSecret }, CHANCE);
  // Our label.
  const marked = absorb(failed, seen('8'));
  expect(nextStep(marked, NOW + 1_000).kind).toBe('wait');
  expect(step(absorb(marked, seen('9')), NOW + 1_000)).toBe('register');
});

describe('a host whose deployment was given up', () => {
  const settings = { ...aSnapshot().settings, maxProvisioningRetries: 5 };
  const status = { lastAttemptedImage: IMAGE, provisioningFailCount: 5 };
  const seen = (version: string | null) => ({ ...seenWith(version), settings });
  const parked = (version: string | null = '8'): HostMemory => {
    const prepared = nextStep(aHost({ state: 'available', status, seen: seen(version), finished: null }), NOW);
    if (prepared.kind !== 'note') throw new Error(`it should be given up: ${prepared.kind}`);
    return { ...prepared.memory, deploymentFailure: 'no disk' };
  };

  test('is deployed again when one of its Secrets is corrected', () => {
    expect(parked().retry).toEqual({ kind: 'on change' });
    const corrected = absorb(parked(), aSnapshot(seen('9')));
    expect(corrected.status.provisioningFailCount).toBe(0);
    expect(corrected.deploymentFailure).toBeUndefined();
    expect(step(corrected)).toBe('become provisioning');
  });

  test('is deployed again when a Secret that did not exist was created', () => {
    expect(step(absorb(parked(null), aSnapshot(seen('9'))))).toBe('become provisioning');
  });

  test('stays so when nothing has changed', () => {
    expect(nextStep(absorb(parked(), aSnapshot(seen('8'))), NOW).kind).toBe('wait');
  });
});
