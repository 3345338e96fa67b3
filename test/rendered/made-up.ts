import fc from 'fast-check';
import type { MetaData, NetworkData } from '../../api/metal3datatemplate/schema.ts';
import type { Content, ContentMap } from '../../domain/data/content.ts';
import type { RenderedCase } from './case.ts';

/** Generated templates and documents; the same ones for the same seed. */

const WORDS = [
  ...String.raw`~ y NO null .inf .5 0x1F 0b-1 1_000 1e3 1e999 12:30:45 2001-01-01 2001-2-29 a: #a --- ... << it's "q" a\b`.split(
    ' ',
  ),
  ...'{a} [a] @a !a &a *a |a Zürich 東京 😀 a1 a2 a10 a01 A _ eth0 192.168.0.1 fe80::1 52:54:00:ab:cd:ef'.split(' '),
  ...['', ' ', 'a: b', 'a #b', '- a', '? a', ' a', 'a ', '<x> & y'].concat('18446744073709551616'),
  ...['a\nb', 'a\n', '\na', 'a\tb', 'a\r\nb', '\u00A0', 'a\u2028b', '\uFEFFa "b"'].concat('\u0000'),
];
const word = fc.constantFrom(...WORDS);
const sentence = fc
  .array(fc.oneof(fc.constantFrom('lorem', 'ipsum', 'dolor', 'x', ''), word), { maxLength: 40 })
  .map((words) => words.join(' '));
const noise = fc.string({
  unit: fc.constantFrom(...Array.from(' aZ09_-.:#,?!\'"\\\t\n{}[]&*|>@%`~=<+/é日😀\u2028')),
  maxLength: 12,
});
const text = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: noise },
  { weight: 1, arbitrary: sentence },
);
const number = fc.constantFrom(0, -1, 1500, 100, 0.5, 1e-5, 0.0001, 123456.75, 1234567.5, 1e20, 1e21, -0.25, 2 ** 53);

const json = fc.letrec<{ value: Content }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

export const documents = (seed: number, count: number): readonly ContentMap[] =>
  fc.sample(fc.dictionary(text, json, { maxKeys: 6 }), { seed, numRuns: count });

const key = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'providerid', 'k1', 'k10', 'k2'),
  text.filter((candidate) => !/\d/.test(candidate)),
);
const pool = fc.constantFrom('one', 'two', 'three', 'one', 'two', 'nowhere');
const object = fc.constantFrom('machine', 'metal3machine', 'baremetalhost', 'Machine', 'node');
const annotation = fc.constantFrom('pool', 'mac', 'text', 'none');
const fromAnnotation = fc.record({ object, annotation });
const seldom = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(value, { nil: undefined });
const list = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value[] | undefined> =>
  seldom(fc.array(value, { maxLength: 3 }));
const some = <Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }): fc.Arbitrary<object> =>
  fc.record(shape as Record<string, fc.Arbitrary<unknown>>, { noNullPrototype: true });

const fromPool = list(some({ key, name: fc.constantFrom('one', 'two', 'three'), kind: seldom(fc.constant('IPPool')) }));
const metaData = some({
  strings: list(some({ key, value: text })),
  objectNames: list(some({ key, object })),
  indexes: list(some({ key, offset: seldom(fc.nat(9)), step: fc.nat(3), prefix: seldom(text), suffix: seldom(text) })),
  namespaces: list(some({ key })),
  ipAddressesFromPool: fromPool,
  prefixesFromPool: fromPool,
  gatewaysFromPool: fromPool,
  dnsServersFromPool: fromPool,
  fromHostInterfaces: list(
    some({ key, interface: fc.constantFrom('eth0', 'eth1', 'eth0', 'eth9'), fromBootMAC: seldom(fc.boolean()) }),
  ),
  fromLabels: list(some({ key, object, label: annotation })),
  fromAnnotations: list(some({ key, object, annotation })),
});

const macAddress = seldom(
  some({
    string: seldom(fc.constantFrom('52:54:00:00:00:0A', '52-54-00-00-00-0b', 'mac')),
    fromHostInterface: seldom(fc.constantFrom('eth0', 'eth1')),
    fromAnnotation: seldom(fc.record({ object, annotation: fc.constantFrom('mac', 'mac', 'text') })),
  }),
);
const link = {
  id: fc.constantFrom('l1', 'l2', 'on', '7'),
  name: seldom(fc.constantFrom('up', 'y')),
  mtu: fc.integer({ min: 1280, max: 9000 }),
  macAddress,
};
const links = some({
  ethernets: list(some({ ...link, type: fc.constantFrom('phy', 'vif') })),
  bonds: list(
    some({
      ...link,
      bondMode: fc.constantFrom('802.3ad', 'balance-rr'),
      bondXmitHashPolicy: seldom(fc.constantFrom('layer2', 'layer3+4')),
      bondLinks: list(fc.constantFrom('l1', 'no')),
      parameters: fc.array(some({ name: fc.constantFrom('miimon', 'x', 'y', 'mode'), value: json }), { maxLength: 2 }),
    }),
  ),
  vlans: list(some({ ...link, vlanID: fc.nat(4096), vlanLink: fc.constantFrom('l1', 'l2') })),
});

const poolRef = seldom(
  some({ name: pool, kind: fc.constantFrom('IPPool', 'IPPool', 'Other'), apiGroup: fc.constant('ipam.metal3.io') }),
);
const network = { id: fc.constantFrom('n1', 'n2'), link: fc.constantFrom('l1', 'l2') };
const routes = (address: string, longest: number): fc.Arbitrary<object[] | undefined> =>
  list(
    some({
      network: fc.constant(address),
      prefix: seldom(fc.nat(longest)),
      gateway: some({
        string: seldom(fc.constant(address)),
        fromIPPool: seldom(pool),
        fromPoolRef: poolRef,
        fromPoolAnnotation: seldom(fromAnnotation),
      }),
      services: seldom(some({ dns: list(fc.constant(address)), dnsFromIPPool: seldom(pool) })),
    }),
  );
const [v4, v6] = [routes('10.0.0.1', 32), routes('fd00::1', 128)];
const pooled = {
  ...network,
  ipAddressFromIPPool: seldom(pool),
  fromPoolRef: poolRef,
  fromPoolAnnotation: seldom(fromAnnotation),
};
const networkData = some({
  links: seldom(links),
  networks: seldom(
    some({
      ipv4: list(some({ ...pooled, routes: v4 })),
      ipv6: list(some({ ...pooled, routes: v6 })),
      ipv4DHCP: list(some({ ...network, routes: v4 })),
      ipv6DHCP: list(some({ ...network, routes: v6 })),
      ipv6SLAAC: list(some({ ...network, routes: v6 })),
    }),
  ),
  services: seldom(some({ dns: list(fc.constant('1.1.1.1')), dnsFromIPPool: seldom(pool) })),
});

const named = (
  name: string,
): fc.Arbitrary<{
  namespace: string;
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}> =>
  fc.record({
    namespace: fc.constant('metal3'),
    name: fc.constant(name),
    labels: fc.record({ text }, { noNullPrototype: true }),
    annotations: fc.record({ pool, mac: fc.constant('52:54:00:00:00:07'), text }, { noNullPrototype: true }),
  });

const made = fc.record({
  metaData: seldom(metaData),
  networkData: seldom(networkData),
  index: seldom(fc.nat(1000)),
  metal3Machine: named('m3m'),
  machine: named('machine'),
  host: named('host'),
  bootMACAddress: seldom(fc.constant('52:54:00:aa:bb:cc')),
  isInspected: fc.constantFrom(true, true, true, false),
  prefix: fc.nat(128),
});

export function madeUpCases(seed: number, count: number): readonly RenderedCase[] {
  return fc.sample(made, { seed, numRuns: count }).map((one, number) => {
    const {
      metaData: meta,
      networkData: net,
      index,
      host,
      bootMACAddress,
      isInspected,
      prefix,
      metal3Machine,
      machine,
    } = one;
    const nics = [
      { name: 'eth0', mac: '52:54:00:00:00:01' },
      { name: 'eth1', mac: '52:54:00:00:00:02' },
    ];
    // Through JSON, which removes undefined fields.
    return JSON.parse(
      JSON.stringify({
        name: `made up ${number}`,
        metaData: meta as MetaData | undefined,
        networkData: net as NetworkData | undefined,
        data: { namespace: 'metal3', name: `template-${index ?? 0}`, index },
        metal3Machine,
        machine,
        host: { ...host, bootMACAddress, ...(isInspected && { nics }) },
        pools: {
          one: { address: '192.168.0.14', prefix: 24, gateway: '192.168.0.1', dnsServers: ['8.8.8.8'] },
          two: { address: 'fd00::14', prefix, gateway: 'fd00::1', dnsServers: ['fd00::53', 'fd00::54'] },
          three: { address: '10.0.0.1', prefix: 0 },
        },
      }),
    ) as RenderedCase;
  });
}
