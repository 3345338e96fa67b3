import { describe, expect, test } from 'vitest';
import { aHost, aNode, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { nextStep } from '../machine.ts';

describe('registration', () => {
  test('is entered into the history when it begins', () => {
    const step = nextStep(aHost({ state: 'registering' }), NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { status: { operationHistory: { register: { end: null } } } } });
  });
  test('is asked of Ironic with the credentials by name alone', () => {
    const register = { start: '2026-01-01T00:00:00Z', end: null };
    const host = aHost({ state: 'registering' });
    const step = nextStep({ ...host, status: { ...host.status, operationHistory: { register } } }, NOW);
    expect(step).toMatchObject({
      kind: 'act',
      action: {
        name: 'register',
        order: {
          bmc: { credentialsName: 'node-1-bmc' },
          credentialsSeen: '90',
          credentialsChanged: true,
          retry: false,
        },
      },
    });
  });
  test.each(['inspecting', 'preparing', 'available', 'provisioning', 'provisioned', 'deprovisioning'] as const)(
    'is repeated in %s when the Secret has another version',
    (state) => {
      const host = aHost({ state, seen: { bmcSecret: { name: 'node-1-bmc', resourceVersion: '95' } } });
      const stale = { ...host, registration: { ...(host.registration ?? never()), credentialsSeen: '90' } };
      expect(said(nextStep(stale, NOW))).toBe('note');
    },
  );
  test('is not repeated for the version that claiming the Secret made', () => {
    const host = aHost({ state: 'available', seen: { bmcSecret: { name: 'node-1-bmc', resourceVersion: '95' } } });
    const claimed = { ...(host.registration ?? never()), credentialsSeen: '90', credentialsUsed: '95' };
    expect(said(nextStep({ ...host, registration: claimed }, NOW))).toBe('wait');
  });
  test('is repeated when the address or a setting is another one', () => {
    const host = aHost({
      state: 'provisioned',
      status: { provisioning: provisionedWith() },
      seen: { spec: { image: IMAGE } },
    });
    const registration = host.registration ?? never();
    for (const change of [{ address: 'redfish://elsewhere' }, { disablePowerOff: true }, { bootMACAddress: '' }]) {
      const before = { ...registration, settings: { ...registration.settings, ...change } };
      expect(said(nextStep({ ...host, registration: before }, NOW))).toBe('note');
    }
  });

  describe('because of the architecture', () => {
    const resting = (known: { asked: string; told: string } | undefined, more: Parameters<typeof aHost>[0] = {}) => {
      const goodCredentials = { credentials: { name: 'node-1-bmc' }, credentialsVersion: '90' };
      const host = aHost({ state: 'available', status: { goodCredentials }, ...more });
      const registration = { ...(host.registration ?? never()), ...(known !== undefined && { architecture: known }) };
      return said(nextStep({ ...host, registration }, NOW));
    };
    const own = { asked: '', told: 'x86_64' };
    test.each([
      ['the spec asks for another one', own, { seen: { spec: { architecture: 'aarch64' } } }],
      ['the hardware has another one than the operator took for granted', own, { architecture: 'aarch64' }],
      ['one is no longer asked for, and nobody knows that of the hardware', { asked: 'aarch64', told: 'aarch64' }, {}],
    ])('is repeated at rest when %s', (_, known, change) => expect(resting(known, change)).toBe('register'));
    test.each([
      ['it is the one that Ironic has', own, { architecture: 'x86_64' }],
      ['the one that was found is written into the spec', own, { seen: { spec: { architecture: 'x86_64' } } }],
      ['nobody says which', own, {}],
      ['nobody knows what Ironic was told', undefined, { architecture: 'aarch64' }],
      [
        'the host is being deleted',
        own,
        { architecture: 'aarch64', seen: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
      ],
      ['Ironic is at work with the node', own, { architecture: 'aarch64', node: aNode({ state: 'cleaning' }) }],
    ])('is not repeated when %s', (_, known, change) => expect(resting(known, change)).not.toBe('register'));
  });
});

describe('a registered host', () => {
  const registered = { ...aHost({ state: 'available' }), finished: null };
  const inState = (spec: object, annotations: Record<string, string> = {}): string => {
    const host = aHost({ state: 'registering', seen: { spec, annotations }, registration: registered.registration });
    return said(nextStep(host, NOW));
  };
  test('is inspected', () => expect(inState({})).toBe('become inspecting'));
  test('skips inspection when that is disabled in the spec', () => {
    expect(inState({ inspectionMode: 'disabled' })).toBe('become preparing');
  });
  test('skips inspection when that is disabled by annotation', () => {
    expect(inState({}, { 'inspect.metal3.io': 'disabled' })).toBe('become preparing');
  });
  test('is left alone when it is externally provisioned', () => {
    expect(inState({ externallyProvisioned: true })).toBe('become externally provisioned');
  });
});

function never(): never {
  throw new Error('the host should be registered');
}
