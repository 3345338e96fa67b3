import { describe, expect, test } from 'vitest';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { aHostFact, anOwner } from '../../test/builders/machine.ts';
import { type DataSources, referencedPools } from '../data/pools.ts';
import { type RenderInputs, render } from '../data/render.ts';
import { hostSelector } from '../machine/choose-host/label-selector.ts';
import { labelOrder, labelPatch, labelPrefixes } from '../machine/node-link/label-sync.ts';
import { BOUNDS } from './bounds.ts';

const numbered = (count: number, text = (at: number) => `v${at}`): readonly string[] =>
  Array.from({ length: count }, (_, at) => text(at));

describe('a selector', () => {
  const { characters, values } = BOUNDS.selector;
  const requirement = { key: 'rack', operator: 'NotIn', values: numbered(values - 2) };
  const WORST: Readonly<Record<string, NonNullable<Parameters<typeof hostSelector>[0]>>> = {
    'many values': { matchExpressions: [requirement] },
    'many invalid values': { matchExpressions: [{ ...requirement, values: numbered(values - 2, (at) => `-${at}`) }] },
    'many labels': { matchLabels: Object.fromEntries(numbered(values / 3 - 1).map((key) => [key, key])) },
    'many rules': {
      matchExpressions: numbered(values / 3 - 1).map((key) => ({ key, operator: 'Gt', values: ['1'] })),
    },
    'a long key': { matchExpressions: [{ key: 'a.'.repeat(characters / 2 - 8), operator: 'Exists' }] },
    'a long domain': { matchExpressions: [{ key: `${'a'.repeat(characters - 20)}_/a`, operator: 'Exists' }] },
    'a long number': { matchExpressions: [{ key: 'a', operator: 'Lt', values: ['9'.repeat(characters - 3)] }] },
    'values where none may be': { matchExpressions: [{ ...requirement, operator: 'Exists' }] },
  };

  test.each(Object.entries(WORST))('takes milliseconds of its thread at most: %s', (_, selector) => {
    expect(JSON.stringify(hostSelector(selector))).not.toContain('beyond');
    expect(takesLonger(() => hostSelector({ ...selector }), 100)).toBe(false);
  });

  test('is invalid beyond its bound, which its message names', () => {
    const many = { matchExpressions: [{ ...requirement, values: numbered(200_000) }] };
    expect(takesLonger(() => hostSelector({ ...many }), 50)).toBe(false);
    expect(hostSelector(many)).toEqual({
      kind: 'invalid',
      message: 'beyond the bound of the selector: more than 5000 values',
    });
    expect(hostSelector({ matchLabels: { a: 'x'.repeat(70_000) } })).toEqual({
      kind: 'invalid',
      message: 'beyond the bound of the selector: more than 65536 characters',
    });
  });
});

describe('the labels that a Node gets from its host', () => {
  const { characters, values } = BOUNDS.labelPrefixes;
  const labels = Object.fromEntries(numbered(15_000, (at) => `zzzz/${at}`).map((key) => [key, '']));
  const orderOf = (labelSyncPrefixes: string) =>
    labelOrder({
      cluster: { namespace: 'metal', name: 'c', paused: false, deleting: false, infrastructureReady: true },
      metal3Cluster: { namespace: 'metal', name: 'c', cloudProvider: false, paused: false, labelSyncPrefixes },
      host: { ...aHostFact({ name: 'h' }), labels },
      owner: anOwner({ nodeRef: 'n' }),
    });
  const WORST: readonly (readonly [string, string])[] = [
    ['many', numbered(values).join(',')],
    ['a long one', `zzzz,${'a.'.repeat(characters / 2 - 5)}a`],
    ['a long name that is none', `${'a'.repeat(characters - 1)}_`],
    ['commas', ','.repeat(values - 1)],
    ['blanks', ' '.repeat(characters)],
  ];

  test.each(WORST)('take milliseconds at most, whatever prefixes a tenant writes: %s', (_, prefixes) => {
    expect(takesLonger(() => orderOf(prefixes), 100)).toBe(false);
  });

  test('are compared in milliseconds with those of the Node', () => {
    const prefixes = numbered(values, (at) => `p${at}`);
    expect(takesLonger(() => labelPatch(prefixes, labels, labels), 100)).toBe(false);
  });

  test.each([
    [`${characters} characters`, numbered(60_000).join(',')],
    [`${values} values`, numbered(values + 1).join(',')],
    [`${values} values`, ','.repeat(values)],
  ])('are not copied beyond the bound of prefixes, which is named: %s', (limit, prefixes) => {
    expect(takesLonger(() => orderOf(prefixes), 20)).toBe(false);
    const problem = `beyond the bound of the label prefixes: more than ${limit}`;
    expect(orderOf(prefixes)).toEqual({ problem });
    expect(labelPrefixes(prefixes)).toEqual({ problem });
  });
});

describe('the data of a machine', () => {
  const { characters, values, depth } = BOUNDS.renderedData;
  const named = { namespace: 'metal', name: 'm', labels: {}, annotations: { long: 'x '.repeat(120_000) } };
  const nics = numbered(9_000).map((name) => ({ name, mac: '52:54:00:00:00:01' }));
  const facts = { metal3Machine: named, machine: named, host: { ...named, nics } };
  const dnsServers = numbered(90_000, (at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);
  const pools = new Map([['lan', { address: '10.0.0.9', prefix: 8, dnsServers }]]);
  const rendered = (template: DataSources) => {
    const secrets: RenderInputs['secrets'] = [
      { key: 'metaData', name: 'a' },
      { key: 'networkData', name: 'b' },
    ];
    return render({ ...facts, template, namespace: 'metal', index: 0, pools, secrets });
  };
  const problemWith = (template: DataSources): string => {
    const result = rendered(template);
    return 'problem' in result ? result.problem : '';
  };
  const routes = numbered(20_000).map(() => ({
    network: '10.0.0.0',
    prefix: 8,
    gateway: { string: '10.0.0.1' },
    services: { dnsFromIPPool: 'lan' },
  }));
  const strings = (count: number, value: string) => ({ strings: numbered(count).map((key) => ({ key, value })) });
  const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  const bond = (value: unknown): DataSources => {
    const macAddress = { string: '52:54:00:00:00:01' };
    const parameters = [{ name: 'p', value }];
    const bonds = [{ id: 'a', mtu: 1_500, macAddress, bondMode: '802.3ad' as const, parameters }];
    return { networkData: { links: { bonds } } };
  };
  const objects = numbered(20_000).map((key) => ({ key, object: 'machine' as const, annotation: 'long' }));

  const WORST: readonly (readonly [string, DataSources])[] = [
    ['many texts', { metaData: strings(values / 2 - 2, 'v') }],
    ['a long text', { metaData: strings(1, ' \u0085'.repeat(characters / 2 - 50)) }],
    ['NICs', { metaData: { fromHostInterfaces: numbered(9_000).map((key) => ({ key, interface: key })) } }],
    ['deep JSON', bond(nested(depth - 4))],
  ];
  test.each(WORST)('is rendered in milliseconds, whatever a template asks for: %s', (_, template) => {
    expect(problemWith(template)).toBe('');
    expect(takesLonger(() => rendered(template), 240)).toBe(false);
  });

  const BEYOND: readonly (readonly [string, string, DataSources])[] = [
    [
      'routes with name servers',
      `${values} values`,
      { networkData: { networks: { ipv4DHCP: [{ id: 'a', link: 'l', routes }] } } },
    ],
    ['many texts', `${values} values`, { metaData: strings(values / 2, 'v') }],
    ['a long annotation, again and again', `${characters} characters`, { metaData: { fromAnnotations: objects } }],
    ['deep JSON', `${depth} levels`, bond(nested(5_000))],
  ];
  test.each(BEYOND)('is not rendered beyond its bound, which is named: %s', (_, limit, template) => {
    expect(problemWith(template)).toBe(`beyond the bound of the rendered data: more than ${limit}`);
    expect(takesLonger(() => rendered(template), 240)).toBe(false);
  });

  test('comes from a limited number of pools', () => {
    const from = (count: number): DataSources => ({
      metaData: { ipAddressesFromPool: numbered(count).map((name) => ({ key: name, name, apiGroup: '', kind: '' })) },
    });
    expect(referencedPools(from(BOUNDS.pools.values), facts)).toHaveLength(BOUNDS.pools.values);
    expect(() => referencedPools(from(30_000), facts)).toThrow('beyond the bound of the pools of the template');
  });
});
