import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import { essence, observe } from './baremetalhost.ts';

const STATUS = {
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: true,
  provisioning: { state: 'provisioned', ID: '1' },
} as const;

function aCr({ metadata, ...rest }: { metadata?: object; status?: BareMetalHost['status'] } = {}): BareMetalHost {
  return {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: {
      namespace: 'metal',
      name: 'node-1',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: { online: true, bmc: { address: 'redfish://x', credentialsName: 'bmc' }, automatedCleaningMode: 'metadata' },
    ...rest,
  };
}

const HARDWARE = { namespace: 'metal', name: 'node-1', uid: 'h', resourceVersion: '5', architecture: 'x86_64' };
const cluster = (secret: string | null = '6', hardware: typeof HARDWARE | undefined = HARDWARE) => ({
  hardware: () => hardware,
  image: () => undefined,
  dataImage: () => undefined,
  secretVersion: () => secret,
});

const seenIn = (host: BareMetalHost, from: ReturnType<typeof cluster>) => observe(host, from, DEFAULT_HOST_SETTINGS);

describe('a snapshot of a host', () => {
  test('holds all that its workflow decides by', () => {
    expect(seenIn(aCr(), cluster())).toEqual({
      namespace: 'metal',
      name: 'node-1',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: {},
      spec: aCr().spec,
      settings: DEFAULT_HOST_SETTINGS,
      bmcSecret: { name: 'bmc', resourceVersion: '6' },
      hasHardwareData: true,
      hardwareArchitecture: 'x86_64',
      hasHardware: false,
    });
  });

  test('tells a Secret that is not there from one that is', () => {
    expect(seenIn(aCr(), cluster(null)).bmcSecret).toEqual({ name: 'bmc', resourceVersion: null });
  });

  test('holds the version of the Secret with the network of the deploy agent', () => {
    const host = aCr();
    const networked = { ...host, spec: { ...host.spec, preprovisioningNetworkDataName: 'net' } };
    expect(seenIn(networked, cluster()).preprovisioningNetworkData).toEqual({ name: 'net', resourceVersion: '6' });
    expect(seenIn(host, cluster())).not.toHaveProperty('preprovisioningNetworkData');
  });

  test('holds the annotations that matter, and of the large ones none', () => {
    const annotations = {
      'baremetalhost.metal3.io/paused': '',
      'reboot.metal3.io/mine': '{"mode":"hard"}',
      'reboot.metal3.ioo': 'no',
      'inspect.metal3.io': '',
      'inspect.metal3.io/hardwaredetails': '{}',
      'clusterctl.cluster.x-k8s.io/delete-for-move': '',
      'baremetalhost.metal3.io/status': '{}',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
    };
    expect(Object.keys(seenIn(aCr({ metadata: { annotations } }), cluster()).annotations)).toEqual([
      'baremetalhost.metal3.io/paused',
      'reboot.metal3.io/mine',
      'inspect.metal3.io',
      'clusterctl.cluster.x-k8s.io/delete-for-move',
    ]);
  });

  test('holds the status the host carries, less what is derived when it is written', () => {
    const status = { ...STATUS, lastUpdated: '2026-01-01T00:00:00Z', hardware: {}, conditions: [] };
    expect(seenIn(aCr({ status }), cluster())).toMatchObject({ status: STATUS, hasHardware: true });
  });

  test('holds the status that came along as an annotation while none was ever written', () => {
    const annotations = { 'baremetalhost.metal3.io/status': JSON.stringify({ ...STATUS, hardware: {} }) };
    expect(seenIn(aCr({ metadata: { annotations } }), cluster()).status).toEqual(STATUS);
    const status = { ...STATUS, poweredOn: false, lastUpdated: '2026-01-01T00:00:00Z' };
    expect(seenIn(aCr({ metadata: { annotations }, status }), cluster()).status?.poweredOn).toBe(false);
  });

  test.each(['{', '[]', '{"operationalStatus":"fine"}'])('ignores an annotation that is no status: %s', (text) => {
    const annotations = { 'baremetalhost.metal3.io/status': text };
    expect(seenIn(aCr({ metadata: { annotations } }), cluster()).status).toBeUndefined();
  });
});

describe('the essence of a snapshot', () => {
  test('does not change when only the status was written', () => {
    const status = { ...STATUS, lastUpdated: '2026-01-01T00:00:00Z' };
    const before = seenIn(aCr(), cluster());
    const after = seenIn(aCr({ metadata: { resourceVersion: '8' }, status }), cluster());
    expect(essence(after)).toEqual(essence(before));
  });
});
