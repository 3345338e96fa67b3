import { describe, expect, test } from 'vitest';
import { aHost, aNode, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import type { Registration } from '../memory/memory.ts';
import { DEFAULT_HOST_SETTINGS } from '../memory/settings.ts';
import { nextStep } from '../next-step.ts';

const BUILT = { ...DEFAULT_HOST_SETTINGS, buildsPreprovisioningImages: true };

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

  test('is not repeated for a setting that its run does not know, unless the spec asks for more than the default', () => {
    const next = (disablePowerOff: boolean): string => {
      const host = aHost({
        state: 'provisioned',
        status: { provisioning: provisionedWith() },
        seen: { spec: { image: IMAGE, disablePowerOff } },
      });
      const { disablePowerOff: _, ...settings } = (host.registration ?? never()).settings;
      const registration = { ...(host.registration ?? never()), settings } as Registration;
      return said(nextStep({ ...host, registration }, NOW));
    };
    expect(next(true)).toBe('note');
    expect(next(false)).not.toBe('note');
  });

  /** The next step of a parked host that was registered with these settings. */
  function resting(registered: Partial<Registration>, more: Parameters<typeof aHost>[0] = {}): string {
    const goodCredentials = { credentials: { name: 'node-1-bmc' }, credentialsVersion: '90' };
    const host = aHost({ state: 'available', status: { goodCredentials }, ...more });
    return said(nextStep({ ...host, registration: { ...(host.registration ?? never()), ...registered } }, NOW));
  }

  describe('because of the network of the deploy agent', () => {
    const network = { name: 'net', seen: '7', used: '8' };
    const version = (resourceVersion: string | null, more: Parameters<typeof aHost>[0] = {}) => ({
      ...more,
      seen: {
        spec: { preprovisioningNetworkDataName: 'net' },
        preprovisioningNetworkData: { name: 'net', resourceVersion },
        ...more.seen,
      },
    });
    test.each([
      ['its Secret has another version', network, version('9')],
      ['its Secret is gone', network, version(null)],
      ['nobody knows what Ironic was told', undefined, version('8')],
    ])('is repeated when %s', (_, known, more) =>
      expect(resting(known ? { network: known } : {}, more)).toBe('register'),
    );
    test.each([
      ['for the version that was seen', version('7')],
      ['for the version that claiming the Secret made', version('8')],
      ['while Ironic is at work with the node', version('9', { node: aNode({ state: 'cleaning' }) })],
      ['where a built image has it in itself', version('9', { seen: { settings: BUILT } })],
    ])('is not repeated %s', (_, more) => expect(resting({ network }, more)).not.toBe('register'));
  });

  describe('because of the architecture', () => {
    const own = { desired: '', observed: 'x86_64' };
    test.each([
      ['the spec asks for another one', own, { seen: { spec: { architecture: 'aarch64' } } }],
      ['the hardware has another one than the operator took for granted', own, { architecture: 'aarch64' }],
      [
        'one is no longer asked for, and nobody knows that of the hardware',
        { desired: 'aarch64', observed: 'aarch64' },
        {},
      ],
    ])('is repeated at rest when %s', (_, architecture, change) =>
      expect(resting({ architecture }, change)).toBe('register'),
    );
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
    ])('is not repeated when %s', (_, architecture, change) =>
      expect(resting(architecture ? { architecture } : {}, change)).not.toBe('register'),
    );
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
