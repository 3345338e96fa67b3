import { describe, expect, test } from 'vitest';
import { type HostResource, isSettled, progressOf } from './host-progress.ts';

describe('a host with an image', () => {
  test('is where it should be when it is provisioned', () => {
    const host = progressOf(aHost({ state: 'provisioned', image: { url: 'http://img' } }));
    expect(host).toMatchObject({ wanted: 'provisioned', isThere: true });
  });

  test('is not there when it is merely available', () => {
    expect(isSettled(progressOf(aHost({ state: 'available', image: { url: 'http://img' } })))).toBe(false);
  });
});

describe('a host without an image', () => {
  test('is where it should be when it is available', () => {
    expect(progressOf(aHost({ state: 'available' }))).toMatchObject({ wanted: 'available', isThere: true });
  });

  test('that is externally provisioned is to stay so', () => {
    expect(progressOf(aHost({ state: 'externally provisioned', externallyProvisioned: true })).isThere).toBe(true);
  });
});

describe('a host that fails', () => {
  test('shows its error message and is settled', () => {
    const host = progressOf(aHost({ state: 'registering', error: ['registration error', 'wrong password'] }));
    expect(host).toMatchObject({ error: 'registration error: wrong password', isThere: false });
    expect(isSettled(host)).toBe(true);
  });

  test('is not where it should be, even in the wanted state', () => {
    expect(progressOf(aHost({ state: 'available', error: ['power management error', 'no answer'] })).isThere).toBe(
      false,
    );
  });
});

test('a new host without status is waited for', () => {
  const host = progressOf({ metadata: { name: 'host' }, spec: {} });
  expect(host).toEqual({
    name: 'host',
    state: '',
    wanted: 'available',
    power: '',
    hardware: '',
    error: undefined,
    isThere: false,
  });
});

interface Aspects {
  readonly state: string;
  readonly image?: { readonly url: string };
  readonly externallyProvisioned?: boolean;
  readonly error?: readonly [string, string];
}

function aHost({ state, error, ...spec }: Aspects): HostResource {
  const failure =
    error === undefined
      ? { operationalStatus: 'OK', errorType: '', errorMessage: '' }
      : { operationalStatus: 'error', errorType: error[0], errorMessage: error[1] };
  return { metadata: { name: 'host' }, spec, status: { provisioning: { state }, poweredOn: true, ...failure } };
}
