import type { KnownHost } from '../../domain/discovery/known-hosts.ts';
import type { DiscoveredMachine } from '../../domain/discovery/machine.ts';
import type { DiscoverySettings } from '../../domain/discovery/settings.ts';

export const NOON = Date.parse('2026-05-01T12:00:00Z');

export const aMachine = (change: Partial<DiscoveredMachine> = {}): DiscoveredMachine => ({
  nodeId: 'node-1',
  calledAt: NOON,
  bootMac: '52:54:00:00:00:01',
  macs: ['52:54:00:00:00:01', '52:54:00:00:00:02'],
  bmcAddresses: ['192.0.2.7'],
  bootsLegacy: false,
  hardware: {
    systemVendor: { manufacturer: 'Lab Inc.', productName: 'Rack 9', serialNumber: 'SN 7' },
    ramMebibytes: 65_536,
    cpu: { arch: 'x86_64', count: 16 },
    hostname: 'rack-9',
  },
  portOwners: [],
  ...change,
});

/** A machine with its own node, MAC address and BMC. */
export const aStranger = (number: number, change: Partial<DiscoveredMachine> = {}): DiscoveredMachine => {
  const mac = `52:54:00:00:${String(Math.floor(number / 100)).padStart(2, '0')}:${String(number % 100).padStart(2, '0')}`;
  const calledAt = NOON + number;
  return aMachine({ nodeId: `node-${number}`, calledAt, bootMac: mac, macs: [mac], bmcAddresses: [], ...change });
};

export const aKnownHost = (change: Partial<KnownHost> = {}): KnownHost => ({
  namespace: 'metal',
  name: 'host-1',
  uid: 'uid-1',
  state: 'available',
  isDiscovered: false,
  isDeleting: false,
  hasBmcDetails: true,
  bmcAddress: 'redfish://192.0.2.99/redfish/v1/Systems/1',
  reportedBmcAddress: '',
  bootMac: '52:54:00:99:99:99',
  macs: [],
  nodeId: 'node-of-host-1',
  discoveredNode: '',
  createdAt: NOON - 3_600_000,
  begunAt: NOON - 3_600_000,
  ...change,
});

/** A host that discovery has created, and that waits for BMC details. */
export const aDiscoveredHost = (change: Partial<KnownHost> = {}): KnownHost =>
  aKnownHost({
    name: 'discovered-525400000001',
    state: 'unmanaged',
    isDiscovered: true,
    hasBmcDetails: false,
    bmcAddress: '',
    bootMac: '52:54:00:00:00:01',
    nodeId: 'node-0',
    discoveredNode: 'node-0',
    ...change,
  });

export const discoverySettings = (change: Partial<DiscoverySettings> = {}): DiscoverySettings => ({
  namespace: 'metal',
  allowed: { macPrefixes: ['52:54:00'], bmcNetworks: [], rules: [] },
  hostName: 'discovered-{mac}',
  labels: {},
  limit: 10,
  maxHosts: 100,
  returnAfterMs: 600_000,
  ...change,
});
