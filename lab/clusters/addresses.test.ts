import { describe, expect, test } from 'vitest';
import { type LabAddress, type MachineData, wrongAddresses } from './addresses.ts';
import type { MachineProgress } from './cluster-progress.ts';

const machine = (name: string, address: string): MachineProgress => ({
  name,
  address,
  role: 'worker',
  phase: 'Running',
  host: 'host-6',
  node: 'v1.34.4',
  isRemediated: false,
  waitsFor: '',
});
const data = (name: string, claim: string): MachineData => ({ metadata: { name }, spec: { claim: { name: claim } } });
const given = (claim: string, address: string): LabAddress => ({
  spec: {
    address,
    prefix: 24,
    gateway: '10.0.0.1',
    dnsServers: ['10.0.0.53'],
    claim: { name: claim },
    pool: { name: 'demo' },
  },
});
const configured = (address: string) => ({
  addresses: [`${address}/24`],
  gateways: ['10.0.0.1'],
  dnsServers: ['10.0.0.53'],
});

const DATAS = [data('demo-0', 'a'), data('demo-1', 'b')];
const NETWORKS = new Map([['host-6', configured('10.0.0.10')]]);

describe('a machine', () => {
  test('has the network that its pool gave', () => {
    const addresses = [given('demo-0-demo', '10.0.0.10'), given('demo-1-demo', '10.0.0.11')];
    const machines = [machine('a', '10.0.0.10'), { ...machine('b', '10.0.0.11'), host: 'host-7' }];
    const networks = new Map([...NETWORKS, ['host-7', configured('10.0.0.11')]]);
    expect(wrongAddresses(machines, networks, DATAS, addresses)).toEqual([]);
    const bare: LabAddress = { spec: { ...given('demo-0-demo', '10.0.0.10').spec, gateway: undefined } };
    const alone = new Map([['host-6', { ...configured('10.0.0.10'), gateways: [] }]]);
    expect(wrongAddresses([machine('a', '10.0.0.10')], alone, DATAS, [bare])).toEqual([]);
  });

  test.each<[string, readonly LabAddress[], string]>([
    ['the address of another machine', [given('demo-1-demo', '10.0.0.10')], 'none'],
    ['another address', [given('demo-0-demo', '10.0.0.11')], '10.0.0.11'],
  ])('has %s', (_what, addresses, words) => {
    expect(wrongAddresses([machine('a', '10.0.0.10')], NETWORKS, DATAS, addresses)).toEqual([
      `a: its Node has the address 10.0.0.10, its pool gave ${words}`,
    ]);
  });

  const wanted = 'its pool gave the address 10.0.0.10/24, the gateway 10.0.0.1 and the DNS server 10.0.0.53';
  test.each<[string, Partial<ReturnType<typeof configured>>, string]>([
    [
      'prefix',
      { addresses: ['10.0.0.10/16'] },
      'the address 10.0.0.10/16, the gateway 10.0.0.1 and the DNS server 10.0.0.53',
    ],
    [
      'gateway',
      { gateways: ['10.0.0.2'] },
      'the address 10.0.0.10/24, the gateway 10.0.0.2 and the DNS server 10.0.0.53',
    ],
    ['DNS server', { dnsServers: [] }, 'the address 10.0.0.10/24, the gateway 10.0.0.1 and the DNS server none'],
  ])('has another %s in its system', (_what, other, words) => {
    const networks = new Map([['host-6', { ...configured('10.0.0.10'), ...other }]]);
    expect(wrongAddresses([machine('a', '10.0.0.10')], networks, DATAS, [given('demo-0-demo', '10.0.0.10')])).toEqual([
      `a: the system on host-6 has ${words}, ${wanted}`,
    ]);
  });

  test('has no network in its system', () => {
    expect(wrongAddresses([machine('a', '10.0.0.10')], new Map(), DATAS, [given('demo-0-demo', '10.0.0.10')])).toEqual([
      `a: the system on host-6 has no network, ${wanted}`,
    ]);
  });
});
