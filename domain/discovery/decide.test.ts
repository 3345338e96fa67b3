import { describe, expect, test } from 'vitest';
import {
  aDiscoveredHost,
  aKnownHost,
  aMachine,
  aStranger,
  discoverySettings,
  NOON,
} from '../../test/builders/discovery.ts';
import { type Discovery, decide, KEPT_NODES, type MachineVerdict } from './decide.ts';
import type { KnownHost } from './known-hosts.ts';
import type { DiscoveredMachine } from './machine.ts';

const aDiscovery = (change: Partial<Discovery> = {}): Discovery => ({
  machines: [aMachine()],
  hosts: [],
  settings: discoverySettings(),
  now: NOON + 1_000,
  created: new Map(),
  lives: new Map(),
  ...change,
});

const verdictOn = (discovery: Discovery): MachineVerdict | undefined => decide(discovery).get('node-1');
const kinds = (discovery: Discovery): readonly string[] => [...decide(discovery).values()].map(({ kind }) => kind);

const NAME = 'discovered-525400000001';
const CREATED: MachineVerdict = { kind: 'create', name: NAME, names: [NAME] };

test.each([
  ['a host that was deleted', { lives: new Map([[NAME, { kind: 'ended', at: NOON + 9e12 } as const]]) }],
  [
    'hosts that this bridge has created',
    { created: new Map([['metal/a', NOON + 9e12]]), settings: discoverySettings({ limit: 1 }) },
  ],
  [
    'a discovered host',
    { hosts: [aDiscoveredHost({ createdAt: NOON + 9e12 })], settings: discoverySettings({ limit: 1 }) },
  ],
  [
    'a host that any machine may be',
    { hosts: [aKnownHost({ bootMac: '', state: 'registering', begunAt: NOON + 9e12 })] },
  ],
])('the time of %s is old when it is in the future: the machine becomes a host', (_, change) => {
  const other = aMachine({ macs: ['52:54:00:77:77:77'], bootMac: '52:54:00:77:77:77' } as never);
  expect(verdictOn(aDiscovery({ ...('hosts' in change && { machines: [other] }), ...change }))).toMatchObject({
    kind: 'create',
  });
});

describe('a machine that calls Ironic and is not known', () => {
  test('becomes a host with the name of the pattern', () => {
    expect(verdictOn(aDiscovery())).toEqual(CREATED);
  });

  test('becomes no host when the allow-list does not name it', () => {
    const settings = discoverySettings({ allowed: { macPrefixes: ['02'], bmcNetworks: [], rules: [] } });
    expect(verdictOn(aDiscovery({ settings }))).toEqual({
      kind: 'ignore',
      reason: 'its boot MAC address 52:54:00:00:00:01 is not in the allow-list',
    });
  });

  test('gets a name with its MAC address when another host has the name', () => {
    const hosts = [aKnownHost({ name: 'sn-7' })];
    const settings = discoverySettings({ hostName: '{serial}' });
    expect(verdictOn(aDiscovery({ hosts, settings }))).toMatchObject({ kind: 'create', name: 'sn-7-525400000001' });
  });

  test('becomes no host when other hosts have both names', () => {
    const hosts = [aKnownHost({ name: 'sn-7' }), aKnownHost({ name: 'sn-7-525400000001', uid: 'uid-2' })];
    const settings = discoverySettings({ hostName: '{serial}' });
    expect(verdictOn(aDiscovery({ hosts, settings }))).toMatchObject({ kind: 'ignore' });
  });

  test.each([
    ['is kept', 'registering', 'ignore'],
    ['is removed, because its ports would block the inspection,', 'inspecting', 'remove'],
  ] as const)('%s while a host without known MAC addresses is %s', (_, state, kind) => {
    const unidentified = aKnownHost({ bootMac: '', state, begunAt: NOON });
    const reason = 'it may be the machine of host metal/host-1, which has no bootMACAddress and is not inspected yet';
    expect(verdictOn(aDiscovery({ hosts: [unidentified] }))).toEqual({ kind, reason });
    expect(verdictOn(aDiscovery({ hosts: [{ ...unidentified, macs: ['52:54:00:99:99:98'] }] }))).toEqual(CREATED);
  });

  test.each([
    ['new', '', 10],
    ['registering', 'registering', 10],
    ['inspecting', 'inspecting', 60],
  ])('becomes a host when a host without known MAC addresses has been %s too long', (_, state, minutes) => {
    const unidentified = aKnownHost({ bootMac: '', state, begunAt: NOON });
    const after = (ms: number) => kinds(aDiscovery({ hosts: [unidentified], now: NOON + ms }));
    expect(after(minutes * 60_000 - 1)).not.toEqual(['create']);
    expect(after(minutes * 60_000)).toEqual(['create']);
    const verdict = verdictOn(aDiscovery({ hosts: [unidentified], now: NOON + minutes * 60_000 }));
    expect(verdict).toEqual({ ...CREATED, besides: [unidentified] });
  });

  test('is kept for a second host without known MAC addresses when the first has taken too long', () => {
    const stuck = aKnownHost({ name: 'stuck', bootMac: '', state: 'inspecting', begunAt: NOON - 3_600_000 });
    const fresh = aKnownHost({ name: 'fresh', uid: 'uid-2', bootMac: '', state: 'registering', begunAt: NOON });
    expect(verdictOn(aDiscovery({ hosts: [stuck, fresh] }))).toEqual({
      kind: 'ignore',
      reason: 'it may be the machine of host metal/fresh, which has no bootMACAddress and is not inspected yet',
    });
  });
});

describe('a machine of a known host', () => {
  const cases: readonly [string, Partial<KnownHost>, Partial<DiscoveredMachine>, MachineVerdict['kind'], string][] = [
    [
      'by its boot MAC address',
      { bootMac: '52:54:00:00:00:02' },
      {},
      'remove',
      'it is the machine of host metal/host-1',
    ],
    [
      'by its hardware, from which it booted',
      { macs: ['52:54:00:00:00:01'] },
      {},
      'remove',
      'it is the machine of host metal/host-1',
    ],
    [
      'by its hardware, with a BMC whose address is not known',
      { macs: ['52:54:00:00:00:02'], bmcAddress: 'ipmi://bmc.example.com' },
      {},
      'remove',
      'it is the machine of host metal/host-1',
    ],
    [
      'by its hardware, with an address of its BMC in the other family',
      { macs: ['52:54:00:00:00:02'] },
      { bmcAddresses: ['fd00::7'] },
      'remove',
      'it is the machine of host metal/host-1',
    ],
    [
      'by its BMC in another spelling',
      { bmcAddress: 'redfish://[FD00:0:0::7]/redfish/v1/Systems/1' },
      { bmcAddresses: ['fd00::7'] },
      'remove',
      'it is the machine of host metal/host-1',
    ],
    ['by its BMC', { bmcAddress: 'ipmi://192.0.2.7' }, {}, 'remove', 'it is the machine of host metal/host-1'],
    [
      'by the BMC with another port and scheme',
      { bmcAddress: 'redfish-virtualmedia+http://192.0.2.7:8000/redfish/v1/Systems/1' },
      {},
      'remove',
      'it is the machine of host metal/host-1',
    ],
    [
      'that is going to be registered, which keeps the node for it',
      { bootMac: '52:54:00:00:00:01', nodeId: '', state: 'registering' },
      {},
      'wait',
      'host metal/host-1 takes this node when it is registered',
    ],
    [
      'that is being deleted',
      { bootMac: '52:54:00:00:00:01', isDeleting: true },
      {},
      'wait',
      'its host metal/host-1 is being deleted',
    ],
    [
      'that only Ironic knows, by a port',
      {},
      { portOwners: ['other'] },
      'remove',
      'its MAC address belongs to node other',
    ],
  ];
  const usb = 'fe:ed:00:00:00:01';
  const shared = { macs: ['52:54:00:00:00:01', usb] };
  test.each([
    ['that a user has created', aKnownHost({ macs: ['52:54:00:99:99:99', usb] })],
    [
      'that was discovered',
      aDiscoveredHost({
        name: 'discovered-525400999999',
        bootMac: '52:54:00:99:99:99',
        macs: ['52:54:00:99:99:99', usb],
        reportedBmcAddress: '192.0.2.99',
      }),
    ],
  ])('with the MAC address that its vendor gives to every server becomes a host, beside one %s', (_, host) => {
    const machine = aMachine({ ...shared, portOwners: [host.nodeId] });
    expect(verdictOn(aDiscovery({ machines: [machine], hosts: [host] }))).toMatchObject({ kind: 'create' });
  });

  test('with such a MAC address becomes a host, beside another one that is discovered at the same time', () => {
    const other = aStranger(2, { macs: ['52:54:00:00:00:02', usb], bmcAddresses: ['192.0.2.8'] });
    const verdicts = decide(aDiscovery({ machines: [aMachine(shared), other] }));
    expect([...verdicts.values()].map(({ kind }) => kind)).toEqual(['create', 'create']);
  });

  test.each(cases)('%s becomes no second host', (_, host, machine, kind, reason) => {
    const discovery = aDiscovery({ machines: [aMachine(machine)], hosts: [aKnownHost(host)] });
    expect(verdictOn(discovery)).toEqual({ kind, reason });
  });

  test('that was discovered loses the second node, which a repeated call has made', () => {
    expect(verdictOn(aDiscovery({ hosts: [aDiscoveredHost()] }))).toMatchObject({ kind: 'remove' });
  });
});

describe('two nodes of one machine', () => {
  test('become one host: of the node with the ports', () => {
    const machines = [aMachine({ nodeId: 'node-0', portOwners: ['node-1'] }), aMachine({ calledAt: NOON + 1 })];
    expect([...decide(aDiscovery({ machines }))]).toEqual([
      ['node-1', CREATED],
      ['node-0', { kind: 'remove', reason: 'it is the same machine as node node-1' }],
    ]);
  });

  test('become one host: of the older node, where none has ports', () => {
    const machines = [aMachine({ nodeId: 'node-2', calledAt: NOON + 1 }), aMachine()];
    expect([...decide(aDiscovery({ machines }))]).toMatchObject([
      ['node-1', { kind: 'create' }],
      ['node-2', { kind: 'remove' }],
    ]);
  });
});

describe('a machine whose host was deleted', () => {
  const name = NAME;
  const ended = (at: number, of = name) => new Map([[of, { kind: 'ended', at } as const]]);

  test('does not come back when it boots within the interval', () => {
    expect(verdictOn(aDiscovery({ lives: ended(NOON - 599_999) }))).toEqual({
      kind: 'remove',
      reason: `host ${name} was deleted a short time before the machine booted`,
    });
  });

  test('comes back when it boots after the interval', () => {
    expect(verdictOn(aDiscovery({ lives: ended(NOON - 600_000) }))).toEqual(CREATED);
  });

  test('does not come back under another name of its own, when its name has become free', () => {
    const settings = discoverySettings({ hostName: '{serial}' });
    expect(verdictOn(aDiscovery({ settings, lives: ended(NOON - 1, 'sn-7-525400000001') }))).toEqual({
      kind: 'remove',
      reason: 'host sn-7-525400000001 was deleted a short time before the machine booted',
    });
  });

  test('does not come back for a boot before the deletion, however long ago both are', () => {
    const now = NOON + 86_400_000;
    expect(verdictOn(aDiscovery({ lives: ended(NOON + 1), now }))).toMatchObject({ kind: 'remove' });
  });

  test('waits while the workflow of that host still runs', () => {
    const lives = new Map([[name, { kind: 'running' } as const]]);
    expect(verdictOn(aDiscovery({ lives }))).toMatchObject({ kind: 'wait' });
  });
});

describe('a flood of machines', () => {
  const flood = (count: number): readonly DiscoveredMachine[] =>
    Array.from({ length: count }, (_, at) => aStranger(at)).toReversed();

  test('becomes as many hosts a minute as the limit says, the oldest calls first', () => {
    const verdicts = decide(aDiscovery({ machines: flood(5), settings: discoverySettings({ limit: 2 }) }));
    expect([...verdicts].map(([node, { kind }]) => `${node} ${kind}`)).toEqual([
      'node-0 create',
      'node-1 create',
      'node-2 ignore',
      'node-3 ignore',
      'node-4 ignore',
    ]);
  });

  test('is limited also after a restart, by the age of the hosts, and while the cache is behind', () => {
    const machines = flood(3);
    const settings = discoverySettings({ limit: 3 });
    const young = aDiscoveredHost({ name: 'young', bootMac: '52:54:00:aa:00:01', createdAt: NOON });
    const old = aDiscoveredHost({ name: 'old', bootMac: '52:54:00:aa:00:02', createdAt: NOON - 60_000 });
    const created = new Map([
      ['metal/young', NOON],
      ['metal/not-seen-yet', NOON],
      ['metal/long-ago', NOON - 60_000],
    ]);
    const discovery = aDiscovery({ machines, settings, hosts: [young, old], created });
    expect(kinds(discovery)).toEqual(['create', 'ignore', 'ignore']);
  });

  test('becomes no more hosts that wait for BMC details than allowed', () => {
    const settings = discoverySettings({ maxHosts: 2 });
    const hosts = [aDiscoveredHost({ name: 'old', bootMac: '52:54:00:aa:00:01' })];
    expect(kinds(aDiscovery({ machines: flood(3), settings, hosts }))).toEqual(['create', 'ignore', 'ignore']);
    const inUse = hosts.map((host) => ({ ...host, hasBmcDetails: true }));
    expect(kinds(aDiscovery({ machines: flood(3), settings, hosts: inUse }))).toEqual(['create', 'create', 'ignore']);
  });

  test('keeps a bounded number of nodes in Ironic, the oldest ones', () => {
    const verdicts = decide(aDiscovery({ machines: flood(KEPT_NODES + 7), settings: discoverySettings({ limit: 0 }) }));
    const removed = [...verdicts].filter(([, { kind }]) => kind === 'remove').map(([node]) => node);
    expect(removed).toEqual(Array.from({ length: 7 }, (_, at) => `node-${KEPT_NODES + at}`));
  });
});
