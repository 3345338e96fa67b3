import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { registeredSettings } from '../../domain/host/desired/wishes.ts';
import type { HostRecord } from '../../domain/host/memory/host-record.ts';
import { type HostMemory } from '../../domain/host/memory/memory.ts';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import { begin } from '../../domain/host/memory/take-in.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const CHANCE = { now: NOW, dice: 0 };

export const IMAGE = {
  url: 'http://images/a.raw',
  checksum: 'http://images/a.raw.sha256',
  checksumType: 'sha256',
} as const;

/** An idle node that is powered off, as Ironic returns it. */
export const aNode = (change: Partial<IronicNode> = {}): IronicNode => ({
  id: '11111111-2222-3333-4444-555555555555',
  state: 'manageable',
  targetState: null,
  poweredOn: false,
  powerPending: false,
  lastError: null,
  maintenance: false,
  fault: null,
  health: null,
  ...change,
});

/** A BareMetalHost with BMC details and a Secret, not online, without an image. */
export function aSnapshot(
  change: Partial<Omit<HostSnapshot, 'spec'>> & { readonly spec?: Partial<BareMetalHostSpec> } = {},
): HostSnapshot {
  const { spec, ...rest } = change;
  return {
    namespace: 'metal',
    name: 'node-1',
    uid: 'uid-1',
    resourceVersion: '100',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: {},
    settings: DEFAULT_HOST_SETTINGS,
    bmcSecret: { name: 'node-1-bmc', resourceVersion: '90' },
    hasHardwareData: false,
    hardwareArchitecture: '',
    hasHardware: false,
    spec: {
      online: false,
      bmc: {
        address: 'redfish-virtualmedia+http://127.0.0.1:8000/redfish/v1/Systems/1',
        credentialsName: 'node-1-bmc',
      },
      bootMACAddress: '52:54:00:00:00:01',
      automatedCleaningMode: 'metadata',
      ...spec,
    },
    ...rest,
  };
}

interface Host extends Partial<Omit<HostMemory, 'status' | 'seen'>> {
  readonly state?: ProvisioningState;
  readonly status?: Partial<HostRecord>;
  readonly seen?: Parameters<typeof aSnapshot>[0];
}

/** A host in a state, with finalizer and (after `registering`) a registration, as a host in that state has. */
export function aHost({ state = '', status, seen, ...rest }: Host = {}): HostMemory {
  const memory = begin(aSnapshot(seen));
  const fresh = state === '' || state === 'unmanaged' || state === 'registering';
  return {
    ...memory,
    hasFinalizer: true,
    shownPower: status?.poweredOn ?? false,
    ...(!fresh && {
      node: aNode(),
      registration: {
        settings: registeredSettings(memory),
        credentialsSeen: memory.seen.bmcSecret?.resourceVersion ?? null,
        credentialsUsed: null,
      },
    }),
    ...rest,
    status: {
      ...memory.status,
      ...(!fresh && { operationalStatus: 'OK' as const, hardwareProfile: 'unknown' }),
      ...status,
      provisioning: {
        ...memory.status.provisioning,
        ...(!fresh && { ID: aNode().id, bootMode: 'UEFI' as const, rootDeviceHints: { deviceName: '/dev/sda' } }),
        ...status?.provisioning,
        state,
      },
    },
  };
}

/** The provisioning part of the status of a host that runs an image. */
export const provisionedWith = (url: string = IMAGE.url) => ({
  state: 'provisioned' as const,
  ID: aNode().id,
  image: { ...IMAGE, url },
});
