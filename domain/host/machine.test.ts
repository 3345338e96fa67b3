import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW } from '../../test/builders/host.ts';
import { fail, park } from './failure.ts';
import { nextStep } from './machine.ts';
import { begin } from './memory.ts';
import type { Step } from './step.ts';

/** The step in a few words, to compare with. */
function said(step: Step): string {
  switch (step.kind) {
    case 'act':
      return step.action.name;
    case 'run':
      return `run ${step.operation.name}`;
    case 'become':
      return `become ${step.state}`;
    case 'note':
    case 'wait':
    case 'gone':
      return step.kind;
  }
}
const next = (...host: Parameters<typeof aHost>): string => said(nextStep(aHost(...host), NOW));

describe('a new host', () => {
  test('is held by its finalizer before anything else is done', () => {
    expect(said(nextStep(begin(aSnapshot()), NOW))).toBe('hold');
  });
  test('that is deleted before it was held is gone at once', () => {
    expect(said(nextStep(begin(aSnapshot({ deletionTimestamp: '2026-01-01T00:00:00Z' })), NOW))).toBe('gone');
  });
  test('with BMC details becomes registering', () => {
    expect(next()).toBe('become registering');
  });
  test('without BMC details becomes unmanaged, discovered, and waits for them', () => {
    const { bmcSecret: _, ...snapshot } = aSnapshot();
    const seen = { ...snapshot, spec: { online: true, automatedCleaningMode: 'metadata' as const } };
    const step = nextStep({ ...begin(seen), held: true }, NOW);
    if (step.kind !== 'become') throw new Error('it should become unmanaged');
    expect(step.memory.status).toMatchObject({ operationalStatus: 'discovered', provisioning: { state: 'unmanaged' } });
    expect(step.memory.events).toEqual([
      { id: '1', reason: 'Discovered', message: 'Discovered host with no BMC details' },
    ]);
    expect(nextStep(step.memory, NOW)).toEqual({ kind: 'wait', reason: 'waiting for BMC details in spec.bmc' });
  });
  test('gets its boot mode when it becomes registering', () => {
    const step = nextStep(aHost({ seen: { spec: { bootMode: 'legacy' } } }), NOW);
    expect(step).toMatchObject({ kind: 'become', memory: { status: { provisioning: { bootMode: 'legacy' } } } });
  });
});

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

describe('an inspecting host', () => {
  test('is inspected in a child workflow', () => expect(next({ state: 'inspecting' })).toBe('run inspect'));
  test('becomes preparing once it is', () => {
    expect(next({ state: 'inspecting', finished: { name: 'inspect' } })).toBe('become preparing');
  });
  test('leaves the state when inspection is disabled meanwhile, and says so', () => {
    const step = nextStep(aHost({ state: 'inspecting', seen: { spec: { inspectionMode: 'disabled' } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'preparing',
      memory: { events: [{ reason: 'InspectionSkipped' }] },
    });
  });
});

describe('a preparing host', () => {
  test('becomes available with the root device hints it is to use', () => {
    const hints = { serialNumber: 'SN1' };
    const step = nextStep(aHost({ state: 'preparing', seen: { spec: { rootDeviceHints: hints } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'available',
      memory: { status: { provisioning: { rootDeviceHints: hints }, errorCount: 0 } },
    });
  });
});

describe('a preparing host that asks for RAID', () => {
  test('says that it is not done, instead of going on without it', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    const step = nextStep(aHost({ state: 'preparing', seen: { spec: { raid } } }), NOW);
    expect(step).toMatchObject({
      kind: 'note',
      memory: { retry: { kind: 'on change' }, status: { errorType: 'preparation error' } },
    });
  });
});

describe('an available host', () => {
  test('that asks for RAID is not given an image on disks nobody asked for', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    expect(next({ state: 'available', seen: { spec: { online: true, image: IMAGE, raid } } })).toBe('become preparing');
  });
  test('waits for an image', () => {
    expect(nextStep(aHost({ state: 'available' }), NOW)).toEqual({
      kind: 'wait',
      reason: 'waiting for an image in spec.image',
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
  test('is prepared again when its root device hints change', () => {
    expect(next({ state: 'available', seen: { spec: { rootDeviceHints: { hctl: '0:0:0:0' } } } })).toBe(
      'become preparing',
    );
  });
  test('is inspected again, with a fresh inventory, when the annotation asks for it', () => {
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
  test('stops trying an image that failed five times, and says so once', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: IMAGE };
    const host = aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } });
    const step = nextStep(host, NOW);
    if (step.kind !== 'note') throw new Error('it should note the failure');
    expect(step.memory.status).toMatchObject({ errorType: 'provisioning error' });
    expect(step.memory.status.errorMessage).toContain('retry limit (5) reached');
    expect(said(nextStep(step.memory, NOW))).toBe('wait');
  });
  test('counts from zero for another image', () => {
    const status = { provisioningFailCount: 5, lastAttemptedImage: { ...IMAGE, url: 'http://images/b.raw' } };
    const step = nextStep(aHost({ state: 'available', status, seen: { spec: { online: true, image: IMAGE } } }), NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { status: { provisioningFailCount: 0 } } });
  });
  test('forgets the failed image when none is asked for any more', () => {
    const status = { provisioningFailCount: 2, lastAttemptedImage: IMAGE };
    const step = nextStep(aHost({ state: 'available', status }), NOW);
    if (step.kind !== 'note') throw new Error('it should note the change');
    expect(step.memory.status.lastAttemptedImage).toBeUndefined();
  });
  test('becomes externally provisioned when it is marked so', () => {
    expect(next({ state: 'available', seen: { spec: { externallyProvisioned: true } } })).toBe(
      'become externally provisioned',
    );
  });
});

const provisionedWith = (url: string = IMAGE.url) => ({
  state: 'provisioned' as const,
  ID: aNode().id,
  image: { ...IMAGE, url },
});

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

describe('a provisioned host', () => {
  const status = { provisioning: provisionedWith() };
  test('with the image it is asked for waits', () => {
    const node = aNode({ state: 'active', poweredOn: true });
    expect(next({ state: 'provisioned', status, node, seen: { spec: { online: true, image: IMAGE } } })).toBe('wait');
  });
  test.each([
    ['another image is asked for', { online: true, image: { ...IMAGE, url: 'http://images/b.raw' } }],
    ['no image is asked for', { online: true }],
  ])('is deprovisioned when %s', (_, spec) => {
    expect(next({ state: 'provisioned', status, seen: { spec } })).toBe('become deprovisioning');
  });
  test('with a custom deployment stays until its method changes', () => {
    const custom = { provisioning: { ...provisionedWith(''), customDeploy: { method: 'install' } } };
    const node = aNode({ state: 'active' });
    const asked = (method: string) => ({ spec: { customDeploy: { method } } });
    expect(next({ state: 'provisioned', status: custom, node, seen: asked('install') })).toBe('wait');
    expect(next({ state: 'provisioned', status: custom, node, seen: asked('other') })).toBe('become deprovisioning');
    expect(next({ state: 'provisioned', status: custom, node })).toBe('become deprovisioning');
  });
  test('stays when only the checksum changes, or when it is to be offline', () => {
    const spec = { online: false, image: { ...IMAGE, checksum: 'abc' } };
    expect(next({ state: 'provisioned', status, node: aNode({ state: 'active' }), seen: { spec } })).toBe('wait');
  });
  test('whose adoption failed is adopted again, whatever else went wrong since', () => {
    const node = aNode({ state: 'adopt failed' });
    const spec = { online: true, image: IMAGE };
    const step = nextStep(aHost({ state: 'provisioned', status, node, seen: { spec } }), NOW);
    expect(step).toMatchObject({ kind: 'act', action: { name: 'adopt', order: { retry: true } } });
  });
  test('whose node had to be created again is adopted', () => {
    const spec = { online: true, image: IMAGE };
    expect(next({ state: 'provisioned', status, node: aNode(), seen: { spec } })).toBe('adopt');
  });
  test('is powered off softly when it is to be offline, and hard after a failure', () => {
    const host = {
      state: 'provisioned',
      node: aNode({ state: 'active', poweredOn: true }),
      seen: { spec: { image: IMAGE } },
    } as const;
    expect(nextStep(aHost({ ...host, status }), NOW)).toMatchObject({ action: { order: { on: false, mode: 'soft' } } });
    const failedOnce = { ...status, errorCount: 1, errorType: 'power management error' as const };
    expect(nextStep(aHost({ ...host, status: failedOnce }), NOW)).toMatchObject({
      action: { order: { on: false, mode: 'hard', force: true } },
    });
  });
});

describe('an externally provisioned host', () => {
  test('is adopted, then only its power is managed', () => {
    const seen = { spec: { online: true, externallyProvisioned: true } };
    expect(next({ state: 'externally provisioned', seen })).toBe('adopt');
    const node = aNode({ state: 'active', poweredOn: true });
    expect(next({ state: 'externally provisioned', seen, node })).toBe('wait');
  });
  test('that is no longer marked so counts as provisioned with the image of its spec', () => {
    const step = nextStep(
      aHost({ state: 'externally provisioned', seen: { spec: { online: true, image: IMAGE } } }),
      NOW,
    );
    expect(step).toMatchObject({
      kind: 'become',
      state: 'provisioned',
      memory: { status: { provisioning: { image: IMAGE } } },
    });
  });
});

describe('a deprovisioning host', () => {
  test('is undeployed in a child workflow', () => expect(next({ state: 'deprovisioning' })).toBe('run deprovision'));
  test('becomes available, with no image on it', () => {
    const step = nextStep(aHost({ state: 'deprovisioning', finished: { name: 'deprovision' } }), NOW);
    if (step.kind !== 'become') throw new Error('it should become available');
    expect(step.state).toBe('available');
    expect(step.memory.status.provisioning).toMatchObject({ image: { url: '' } });
    expect(step.memory.status.provisioning.rootDeviceHints).toBeUndefined();
  });
});

describe('a paused host', () => {
  test('does nothing, not even when it is deleted', () => {
    const seen = { annotations: { 'baremetalhost.metal3.io/paused': '' }, deletionTimestamp: '2026-01-01T00:00:00Z' };
    expect(next({ state: 'available', seen })).toBe('wait');
  });
});

describe('an unmanaged host', () => {
  const bmc = { address: '', credentialsName: '' };
  test('is shown as discovered while it waits for BMC details, and registers when it has them', () => {
    expect(next({ state: 'unmanaged', seen: { spec: { bmc } } })).toBe('note');
    expect(next({ state: 'unmanaged', status: { operationalStatus: 'discovered' }, seen: { spec: { bmc } } })).toBe(
      'wait',
    );
    expect(next({ state: 'unmanaged' })).toBe('become registering');
  });
});

describe('a host at rest', () => {
  test('loses its error and its count of failures once its power is as asked', () => {
    const status = { errorType: 'power management error', errorCount: 2, operationalStatus: 'error' } as const;
    const step = nextStep(aHost({ state: 'available', status }), NOW);
    if (step.kind !== 'note') throw new Error('it should note that all is well');
    expect(step.memory.status).toMatchObject({ errorCount: 0, operationalStatus: 'OK' });
    expect(step.memory.status.errorType).toBeUndefined();
  });
  test('whose power Ironic does not know is left alone', () => {
    expect(next({ state: 'available', node: aNode({ poweredOn: null }), seen: { spec: { online: true } } })).toBe(
      'wait',
    );
    expect(next({ state: 'available', node: null, seen: { spec: { online: true } } })).toBe('wait');
  });
});

describe('a host whose BareMetalHost vanished', () => {
  test('is gone', () => expect(next({ state: 'available', vanished: true })).toBe('gone'));
});

describe('a host that can only be helped by a change', () => {
  test('waits without a timer', () => {
    const step = nextStep(park(aHost({ state: 'registering' }), 'registration error', 'no Secret'), NOW);
    expect(step).toEqual({ kind: 'wait', reason: 'waiting for a change after registration error: no Secret' });
  });
});

function never(): never {
  throw new Error('the host should be registered');
}
