import { afterEach, describe, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { type ListingServer, listingServer, NO_LISTS } from '../../test/builders/listing-server.ts';
import { requested } from '../command-line.ts';
import { foundLines, hostsKnownBy } from './find.ts';
import { findCommand } from './options.ts';

let server: ListingServer | undefined;
let notes: string[];
afterEach(() => server?.close());

const aHost = (name: string, { serial = '', consumer = '' } = {}): object => ({
  metadata: { namespace: 'metal', name, uid: `uid-${name}` },
  spec: {
    bootMACAddress: `52:54:00:00:00:0${name.at(-1)}`,
    bmc: { address: `redfish://10.0.0.${name.at(-1)}` },
    ...(consumer !== '' && { consumerRef: { kind: 'Metal3Machine', name: consumer, namespace: 'metal' } }),
  },
  status: {
    provisioning: { state: 'provisioned', ID: `node-${name}` },
    hardware: { systemVendor: { serialNumber: serial }, nics: [{ mac: `52:54:00:00:01:0${name.at(-1)}` }] },
  },
});
const FLEET = [aHost('h1'), aHost('h2'), aHost('h3', { serial: 'CZJ3', consumer: 'worker-3' })];
const FOUND = { namespace: 'metal', name: 'h3', state: 'provisioned', consumer: 'Metal3Machine worker-3' };

async function found(wanted: string, lists: Parameters<typeof listingServer>[0] = []) {
  notes = [];
  const given = new Set(lists.map(({ kind }) => kind));
  server = await listingServer([...lists, ...NO_LISTS.filter(({ kind }) => !given.has(kind))]);
  return hostsKnownBy(wanted, { kube: server.kube, namespace: undefined, note: (why) => void notes.push(why) });
}
const hosts = { kind: KINDS.host, objects: FLEET };

describe('hosts are found', () => {
  test.each([
    ['CZJ3', 'its serial number'],
    ['52:54:00:00:01:03', 'the MAC address 52:54:00:00:01:03'],
    ['52:54:00:00:00:03', 'the MAC address 52:54:00:00:00:03'],
    ['node-h3', 'its node in Ironic'],
    ['uid-h3', 'its uid'],
  ])('by %s, with one request for each page of hosts', async (wanted, by) => {
    expect(await found(wanted, [hosts])).toEqual([{ ...FOUND, by }]);
    expect(server?.asked).toEqual(['baremetalhosts', 'baremetalhosts page 2']);
  });

  test.each([
    ['h3', 'its name'],
    ['10.0.0.3', 'the BMC address redfish://10.0.0.3'],
    ['worker-3', 'its machine'],
  ])('by %s, which others may have too, so that the other kinds are read as well', async (wanted, by) => {
    expect(await found(wanted, [hosts])).toEqual([{ ...FOUND, by }]);
    expect(server?.asked.slice(2)).toEqual(['hardwaredata', 'metal3machines of metadata']);
  });

  test.each([
    ['its name', 'h3'],
    ['its machine', 'worker-3'],
  ])('beside one of which the text is %s, by the Machine of the same name, each once', async (by, wanted) => {
    const owner = { apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name: wanted, uid: 'u' };
    const ofMachine = (name: string, host: string): object => ({
      metadata: {
        namespace: 'metal',
        name,
        ownerReferences: [owner],
        annotations: { 'metal3.io/BareMetalHost': `metal/${host}` },
      },
    });
    const objects = [ofMachine('blue-x7', 'h2'), ofMachine('worker-3', 'h3')];
    expect(await found(wanted, [hosts, { kind: KINDS.metal3Machine, objects }])).toEqual([
      { ...FOUND, by },
      { namespace: 'metal', name: 'h2', by: `the Machine ${wanted}, by its Metal3Machine blue-x7` },
    ]);
  });

  test('by what only their HardwareData has', async () => {
    const hardware = { systemVendor: { serialNumber: 'OLD1' } };
    const data = { metadata: { namespace: 'metal', name: 'h1' }, spec: { hardware } };
    expect(await found('old1', [hosts, { kind: KINDS.hardwareData, objects: [data] }])).toEqual([
      { namespace: 'metal', name: 'h1', by: 'its serial number, in its HardwareData' },
    ]);
  });

  test('by the Machine of Cluster API, whose Metal3Machine has another name', async () => {
    const owner = { apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name: 'blue-7', uid: 'u' };
    const annotations = { 'metal3.io/BareMetalHost': 'metal/h2' };
    const metadata = { namespace: 'metal', name: 'blue-x7', ownerReferences: [owner], annotations };
    expect(await found('blue-7', [hosts, { kind: KINDS.metal3Machine, objects: [{ metadata }] }])).toEqual([
      { namespace: 'metal', name: 'h2', by: 'the Machine blue-7, by its Metal3Machine blue-x7' },
    ]);
    expect(server?.asked.at(-1)).toBe('metal3machines of metadata');
  });
});

test('what may not be listed is named, and where a kind is not installed there is none', async () => {
  expect(await found('x', [{ kind: KINDS.hardwareData, objects: [], refusal: 'hardwaredata is forbidden' }])).toEqual(
    [],
  );
  expect(notes).toEqual(['HardwareDatas of all namespaces: hardwaredata is forbidden']);
  await server?.close();
  server = await listingServer([{ kind: KINDS.host, objects: [] }]);
  notes = [];
  const looking = { kube: server.kube, namespace: undefined, note: (why: string) => void notes.push(why) };
  expect([await hostsKnownBy('x', looking), notes]).toEqual([[], []]);
});

test('a line has the host, its state, its consumer and the mark', () => {
  expect(foundLines([{ ...FOUND, by: 'its machine' }])).toEqual([
    'NAMESPACE  HOST  STATE        CONSUMER                FOUND BY',
    'metal      h3    provisioned  Metal3Machine worker-3  its machine',
  ]);
});

test('the command line has a text, and looks at all namespaces', () => {
  expect(requested(findCommand, ['CZJ3'])).toMatchObject({ wanted: 'CZJ3', namespace: undefined, output: 'text' });
  expect(requested(findCommand, ['CZJ3', '-n', 'metal', '-o', 'json'])).toMatchObject({
    namespace: 'metal',
    output: 'json',
  });
  expect(requested(findCommand, [' '])).toBeUndefined();
  expect(requested(findCommand, [])).toBeUndefined();
});
