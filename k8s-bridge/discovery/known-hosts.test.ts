import { expect, test } from 'vitest';
import { knownHost } from './discover.ts';

const entry = (object: object) => ({ namespace: 'metal', name: 'a', uid: 'u', resourceVersion: '1', object });
const METADATA = { namespace: 'metal', name: 'a', uid: 'u', creationTimestamp: '2026-05-01T12:00:00Z' };

test('a host is known by its spec, its status and its hardware', () => {
  const host = entry({
    metadata: {
      ...METADATA,
      labels: { 'temper.metal3.io/discovered': 'true' },
      annotations: {
        'temper.metal3.io/discovered-node': 'n',
        'temper.metal3.io/discovered-bmc-address': '192.0.2.8',
      },
    },
    spec: { bootMACAddress: '52:54:00:00:00:AA', bmc: { address: 'ipmi://192.0.2.7', credentialsName: 'b' } },
    status: {
      provisioning: { state: 'available', ID: 'm' },
      hardware: { nics: [{ mac: '52:54:00:00:00:AB' }, { name: 'bond' }] },
    },
  });
  const hardware = entry({ metadata: METADATA, spec: { hardware: { nics: [{ mac: '52:54:00:00:00:ac' }] } } });
  expect(knownHost(host, hardware)).toEqual({
    namespace: 'metal',
    name: 'a',
    uid: 'u',
    state: 'available',
    isDiscovered: true,
    isDeleting: false,
    hasBmcDetails: true,
    bmcAddress: 'ipmi://192.0.2.7',
    reportedBmcAddress: '192.0.2.8',
    bootMac: '52:54:00:00:00:aa',
    macs: ['52:54:00:00:00:ab', '52:54:00:00:00:ac'],
    nodeId: 'm',
    discoveredNode: 'n',
    createdAt: Date.parse('2026-05-01T12:00:00Z'),
    begunAt: Date.parse('2026-05-01T12:00:00Z'),
  });
});

test.each([
  ['its registration', { register: { start: '2026-05-02T12:00:00Z' }, provision: { start: '2026-05-09T12:00:00Z' } }],
  ['its inspection', { register: { start: '2026-05-01T13:00:00Z' }, inspect: { start: '2026-05-02T12:00:00Z' } }],
  [
    'its registration after another inspection',
    { register: { start: '2026-05-02T12:00:00Z' }, inspect: { start: null } },
  ],
])('a host is under way since %s', (_, operationHistory) => {
  const host = entry({ metadata: METADATA, status: { operationHistory } });
  expect(knownHost(host, undefined).begunAt).toBe(Date.parse('2026-05-02T12:00:00Z'));
});

test.each([
  ['nothing but a name', {}],
  ['parts of the wrong kind', { spec: 7, status: { provisioning: 'x', hardware: { nics: 'y' } } }],
])('a host with %s does not stop discovery', (_, parts) => {
  expect(knownHost(entry({ metadata: METADATA, ...parts }), entry({ metadata: METADATA }))).toMatchObject({
    state: '',
    hasBmcDetails: false,
    bootMac: '',
    macs: [],
    nodeId: '',
  });
});
