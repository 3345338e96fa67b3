import { describe, expect, test } from 'vitest';
import { assess } from './examine.ts';
import type { AddressClaimFacts, DataObjects, TemplateFacts } from './objects.ts';
import { render } from './render.ts';

/** The progress of a Metal3Data, with the content of the Secrets that it writes. */
function examine(objects: DataObjects) {
  const { inputs, ...assessed } = assess(objects);
  if (inputs === undefined) return { ...assessed, rendered: [] };
  const result = render(inputs);
  if ('rendered' in result) return { ...assessed, rendered: result.rendered };
  return { ...assessed, hindrance: { kind: 'problem', message: result.problem }, rendered: [] };
}

const named = (name: string) => ({ namespace: 'metal3', name, labels: {}, annotations: {} });
const pooled: TemplateFacts = {
  namespace: 'metal3',
  name: 'nodes',
  metaData: { ipAddressesFromPool: [{ key: 'ip', name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' }] },
};
const plain: TemplateFacts = {
  namespace: 'metal3',
  name: 'nodes',
  metaData: { strings: [{ key: 'a', value: 'b' }] },
  networkData: {},
};
const elsewhere: TemplateFacts = {
  namespace: 'metal3',
  name: 'nodes',
  networkData: {
    networks: {
      ipv4: [{ id: 'a', link: 'n', fromPoolRef: { name: 'lan', kind: 'ExamplePool', apiGroup: 'ipam.example.org' } }],
    },
  },
};

const someObjects = (
  given: Partial<DataObjects> = {},
  addresses: Partial<DataObjects['addresses']> = {},
): DataObjects => ({
  data: {
    namespace: 'metal3',
    name: 'nodes-0',
    uid: 'data-uid',
    index: 0,
    template: { name: 'nodes' },
    claim: { name: 'm3m' },
    secrets: {},
  },
  template: plain,
  claim: { metal3Machine: 'm3m' },
  metal3Machine: { ...named('m3m'), dataTemplate: { name: 'nodes', namespace: 'metal3' } },
  machine: named('machine'),
  host: named('host'),
  hasSecret: () => false,
  ...given,
  addresses: {
    ipClaim: () => undefined,
    ipAddress: () => undefined,
    ipAddressClaim: () => undefined,
    clusterIpAddress: () => undefined,
    ...addresses,
  },
});
const { data } = someObjects();
const anIpClaim = (given: Partial<AddressClaimFacts> = {}): AddressClaimFacts => ({
  name: 'nodes-0-lan',
  deleting: false,
  owners: ['data-uid'],
  held: true,
  ...given,
});
const ipClaims = (...claims: AddressClaimFacts[]) => ({
  ipClaim: (name: string) => claims.find((claim) => claim.name === name),
});

describe('a Metal3Data', () => {
  test('is rendered into the Secrets that are named after its Metal3Machine', () => {
    expect(examine(someObjects())).toEqual({
      secrets: [
        { key: 'metaData', name: 'm3m-metadata', exists: false },
        { key: 'networkData', name: 'm3m-networkdata', exists: false },
      ],
      unclaimed: [],
      strays: [],
      rendered: [
        { key: 'metaData', name: 'm3m-metadata', content: { a: 'b', providerid: 'metal3/host/m3m' } },
        { key: 'networkData', name: 'm3m-networkdata', content: { links: [], networks: [], services: [] } },
      ],
    });
  });

  test('is rendered into the Secrets that its spec names', () => {
    const { secrets } = examine(someObjects({ data: { ...data, secrets: { networkData: 'mine' } } }));
    expect(secrets.map(({ name }) => name)).toEqual(['m3m-metadata', 'mine']);
  });

  test('is rendered into those Secrets only that do not exist', () => {
    const { rendered } = examine(someObjects({ hasSecret: (name) => name === 'm3m-metadata' }));
    expect(rendered.map(({ key }) => key)).toEqual(['networkData']);
  });

  test('needs neither Machine nor host once its Secrets exist', () => {
    const found = examine(someObjects({ hasSecret: () => true, machine: undefined, host: undefined }));
    expect(found).toMatchObject({ rendered: [], secrets: [{ exists: true }, { exists: true }] });
    expect(found.hindrance).toBeUndefined();
  });

  test('of a template that asks for nothing needs nothing', () => {
    const template = { namespace: 'metal3', name: 'nodes' };
    expect(examine(someObjects({ template, host: undefined }))).toEqual({
      secrets: [],
      unclaimed: [],
      strays: [],
      rendered: [],
    });
  });

  test.each<[string, Partial<DataObjects>]>([
    ['its spec names no Metal3DataTemplate', { data: { ...data, template: undefined } }],
    ['Metal3DataTemplate is not found', { template: undefined }],
    ['Metal3DataClaim is not found', { claim: undefined }],
    ['Metal3Machine is not found', { metal3Machine: undefined }],
    ['waiting for Machine Controller to set OwnerRef on Metal3Machine', { machine: undefined }],
    ['waiting for BareMetalHost to become available', { host: undefined }],
  ])('waits: %s', (message, given) => {
    expect(examine(someObjects(given))).toMatchObject({ hindrance: { kind: 'waiting', message }, rendered: [] });
  });

  const otherTemplate = { ...named('m3m'), dataTemplate: { name: 'nodes', namespace: 'other' } };
  test.each<[string, Partial<DataObjects>]>([
    ['Metal3DataClaim name not set', { data: { ...data, claim: undefined } }],
    ['metal3Machine not found in owner references', { claim: {} }],
    ['metal3Machine associated with Metal3DataTemplate is not found', { metal3Machine: named('m3m') }],
    ['metal3Machine associated with Metal3DataTemplate is not found', { metal3Machine: otherTemplate }],
    [
      'NICs list not populated',
      { template: { ...plain, metaData: { fromHostInterfaces: [{ key: 'a', interface: 'eth0' }] } } },
    ],
    [
      'yaml: control characters are not allowed',
      { template: { ...plain, metaData: { strings: [{ key: 'a', value: '\u007F' }] } } },
    ],
  ])('has a problem: %s', (message, given) => {
    expect(examine(someObjects(given))).toMatchObject({ hindrance: { kind: 'problem', message }, rendered: [] });
  });
});

describe('addresses of a pool', () => {
  const LAN = { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };
  const given = anIpClaim({ address: 'lan-1' });
  const ipAddress = (name: string) => (name === 'lan-1' ? { address: '10.0.0.7', prefix: 8 } : undefined);

  test('are claimed', () => {
    expect(examine(someObjects({ template: pooled }))).toMatchObject({
      unclaimed: [LAN],
      hindrance: { kind: 'waiting', message: 'waiting for a claim for IPPool lan' },
    });
  });

  test('are rendered as soon as they are given', () => {
    const waitsFor = (claim: AddressClaimFacts, found: typeof ipAddress = () => undefined) =>
      examine(someObjects({ template: pooled }, { ...ipClaims(claim), ipAddress: found }));
    const message = 'waiting for an address from IPPool lan';
    expect(waitsFor(anIpClaim())).toMatchObject({ unclaimed: [], hindrance: { kind: 'waiting', message } });
    expect(waitsFor(given)).toMatchObject({ hindrance: { kind: 'waiting', message } });
    expect(waitsFor(given, ipAddress).rendered[0]?.content).toMatchObject({ ip: '10.0.0.7' });
  });

  test('are taken from a claim that is being deleted as long as it is ours', () => {
    const found = examine(someObjects({ template: pooled }, { ...ipClaims({ ...given, deleting: true }), ipAddress }));
    expect(found.rendered).toHaveLength(1);
  });

  test('are taken from a claim that is named after the host when there is none of our name', () => {
    const ofHost = anIpClaim({ name: 'host-lan', address: 'lan-1' });
    const found = examine(someObjects({ template: pooled }, { ...ipClaims(ofHost), ipAddress }));
    expect(found.rendered).toHaveLength(1);
  });

  test('are not taken from a claim of another owner, which is released if it is being deleted', () => {
    const message = 'waiting for IPClaim nodes-0-lan, which belongs to another owner, to go';
    const alien = (more: Partial<AddressClaimFacts>) =>
      examine(someObjects({ template: pooled }, { ...ipClaims({ ...given, owners: ['other'], ...more }), ipAddress }));
    expect(alien({})).toMatchObject({ strays: [], hindrance: { kind: 'waiting', message } });
    expect(alien({ deleting: true })).toMatchObject({ strays: ['nodes-0-lan'] });
    expect(alien({ deleting: true, held: false })).toMatchObject({ strays: [] });
  });

  test('that are refused are a problem', () => {
    const refused = anIpClaim({ errorMessage: 'Exhausted IP Pools' });
    const message = 'IP Allocation for lan failed : Exhausted IP Pools';
    expect(examine(someObjects({ template: pooled }, ipClaims(refused))).hindrance).toEqual({
      kind: 'problem',
      message,
    });
  });

  test("of other kinds are claimed by Cluster API's contract", () => {
    const ask = (claim?: Partial<AddressClaimFacts>) =>
      examine(
        someObjects(
          { template: elsewhere },
          {
            ...ipClaims(given),
            ipAddressClaim: () => claim && anIpClaim({ owners: [], ...claim }),
            clusterIpAddress: (name) => (name === 'a-1' ? { address: '10.0.0.8', prefix: 8 } : undefined),
          },
        ),
      );
    expect(ask()).toMatchObject({ unclaimed: [{ name: 'lan', kind: 'ExamplePool' }] });
    expect(ask({})).toMatchObject({ hindrance: { message: 'waiting for an address from ExamplePool lan' } });
    expect(ask({ address: 'a-2' })).toMatchObject({ hindrance: { kind: 'waiting' } });
    expect(ask({ address: 'a-1', deleting: true })).toMatchObject({
      hindrance: { kind: 'waiting', message: 'waiting for IPAddressClaim nodes-0-lan, which is being deleted, to go' },
    });
    expect(ask({ address: 'a-1' }).rendered[0]?.content).toMatchObject({ networks: [{ ip_address: '10.0.0.8' }] });
  });

  describe('that metadata takes from a pool of another kind', () => {
    const CLUSTER_POOL = { name: 'lan', kind: 'InClusterIPPool', apiGroup: 'ipam.cluster.x-k8s.io' };
    const LISTS = ['ipAddressesFromPool', 'prefixesFromPool', 'gatewaysFromPool', 'dnsServersFromPool'] as const;
    const fromMetaData = (list: (typeof LISTS)[number], pool = CLUSTER_POOL): TemplateFacts => ({
      namespace: 'metal3',
      name: 'nodes',
      metaData: { [list]: [{ key: 'a', ...pool }] },
    });

    test.each(LISTS)('by %s are claimed of that kind, in its group', (list) => {
      expect(examine(someObjects({ template: fromMetaData(list) })).unclaimed).toEqual([CLUSTER_POOL]);
    });

    test('are claimed once when network data takes them from the same pool', () => {
      const networkData = { networks: { ipv4: [{ id: 'a', link: 'n', fromPoolRef: CLUSTER_POOL }] } };
      const template = { ...fromMetaData('ipAddressesFromPool'), networkData };
      expect(examine(someObjects({ template })).unclaimed).toEqual([CLUSTER_POOL]);
    });

    test('are claimed in the group without its version, which v1beta1 allows', () => {
      const template = fromMetaData('ipAddressesFromPool', {
        ...CLUSTER_POOL,
        apiGroup: 'ipam.cluster.x-k8s.io/v1beta2',
      });
      expect(examine(someObjects({ template })).unclaimed).toEqual([CLUSTER_POOL]);
    });
  });

  test.each([
    ['ipam.metal3.io', 'InClusterIPPool', 'ipam.metal3.io has no kind InClusterIPPool, ipam.cluster.x-k8s.io has it'],
    [
      'ipam.metal3.io',
      'GlobalInClusterIPPool',
      'ipam.metal3.io has no kind GlobalInClusterIPPool, ipam.cluster.x-k8s.io has it',
    ],
    ['ipam.metal3.io', 'Pool', 'ipam.metal3.io has no kind Pool, only IPPool'],
    ['ipam.cluster.x-k8s.io', 'IPPool', 'ipam.cluster.x-k8s.io has no kind IPPool, ipam.metal3.io has it'],
    [
      'infrastructure.cluster.x-k8s.io',
      'IPPool',
      'infrastructure.cluster.x-k8s.io has no kind IPPool, ipam.metal3.io has it',
    ],
    ['metal3.io', 'InClusterIPPool', 'metal3.io has no kind InClusterIPPool, ipam.cluster.x-k8s.io has it'],
    ['cluster.x-k8s.io', 'IPPool', 'cluster.x-k8s.io has no kind IPPool, ipam.metal3.io has it'],
  ])('of a group %s that has no kind %s are a problem, and nothing is claimed', (apiGroup, kind, said) => {
    const fromPoolRef = { name: 'lan', kind, apiGroup };
    const networkData = { networks: { ipv4: [{ id: 'a', link: 'n', fromPoolRef }] } };
    expect(examine(someObjects({ template: { ...plain, networkData } }))).toMatchObject({
      unclaimed: [],
      hindrance: { kind: 'problem', message: `pool lan: ${said}` },
    });
  });

  test.each([
    ['ipam.metal3', 'IPPool', ' of ipam.metal3 (Temper knows this kind in ipam.metal3.io)'],
    ['ipam.example.org', 'InClusterIPPool', ' of ipam.example.org (Temper knows this kind in ipam.cluster.x-k8s.io)'],
    ['ipam.example.org', 'ExamplePool', ''],
    ['ipam.cluster.x-k8s.io', 'InClusterIPPool', ''],
  ])(
    'of a provider %s with the kind %s are claimed, and the words say where else the kind is',
    (apiGroup, kind, said) => {
      const fromPoolRef = { name: 'lan', kind, apiGroup };
      const networkData = { networks: { ipv4: [{ id: 'a', link: 'n', fromPoolRef }] } };
      const ask = (claim: AddressClaimFacts | undefined) =>
        examine(someObjects({ template: { ...plain, networkData } }, { ipAddressClaim: () => claim }));
      expect(ask(undefined)).toMatchObject({ unclaimed: [fromPoolRef] });
      expect(ask(anIpClaim({ owners: [] }))).toMatchObject({
        unclaimed: [],
        hindrance: { kind: 'waiting', message: `waiting for an address from ${kind} lan${said}` },
      });
    },
  );
});
