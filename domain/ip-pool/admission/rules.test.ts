import { describe, expect, test } from 'vitest';
import { problemText } from '../../admission/field-problem.ts';
import type { Judged, Problem } from '../../admission/rules.ts';
import { ipAddressRules, ipClaimRules } from './claims.ts';
import { type IpPoolSpecGiven, ipPoolDefaults, ipPoolRules } from './ippool.ts';

const metadata = { name: 'lan', namespace: 'metal' };
const pool = (spec: IpPoolSpecGiven, inUse: readonly string[] = []): Judged<IpPoolSpecGiven> => ({
  ...annotated(spec),
  status: { indexes: Object.fromEntries(inUse.map((address) => [address, address])) },
});
const annotated = <Spec>(spec: Spec, annotations = {}): Judged<Spec> => ({ metadata, spec, annotations, status: {} });
const texts = (problems: readonly Problem[]): readonly string[] =>
  problems.map((problem) => (typeof problem === 'string' ? problem : problemText(problem)));
const created = (spec: IpPoolSpecGiven): readonly string[] => texts(ipPoolRules.created(pool(spec)));
const changed = (before: Judged<IpPoolSpecGiven>, spec: IpPoolSpecGiven): readonly string[] =>
  texts(ipPoolRules.changed(before, pool(spec)));

const entry = (text: string): string => `spec.pools[0]: Invalid value: "": ${text}`;
const RANGE = { start: '10.0.0.1', end: '10.0.0.5' };

describe('a new IPPool', () => {
  test.each<[NonNullable<IpPoolSpecGiven['pools']>[number], readonly string[]]>([
    [RANGE, []],
    [{ start: '10.0.0.1' }, []],
    [{ end: '10.0.0.1' }, []],
    [{ subnet: 'fd00::/64' }, []],
    [{ prefix: 24 }, [entry('pool entry must specify at least one of start, end, or subnet')]],
    [{ start: 'x' }, [entry('invalid Start IP "x"')]],
    [{ end: 'x' }, [entry('invalid End IP "x"')]],
    [{ subnet: '10.0.0.0/33' }, [entry('invalid Subnet "10.0.0.0/33": invalid CIDR address: 10.0.0.0/33')]],
    [{ start: '10.0.0.5', end: '10.0.0.1' }, [entry('end IP 10.0.0.1 is before start IP 10.0.0.5')]],
    [
      { ...RANGE, gateway: 'x', dnsServers: ['8.8.8.8', 'y'] },
      [
        'spec.pools[0].gateway: Invalid value: "x": is not a valid IP address',
        'spec.pools[0].dnsServers[1]: Invalid value: "y": is not a valid IP address',
      ],
    ],
  ])('may have the entry %j: %j', (one, problems) => {
    expect(created({ pools: [one] })).toEqual(problems);
  });

  test.each<[NonNullable<IpPoolSpecGiven['pools']>[number], string | undefined]>([
    [RANGE, undefined],
    [{ subnet: '10.0.0.0/24' }, undefined],
    [{ start: '10.0.0.9', subnet: '10.0.0.0/24' }, undefined],
    [{ subnet: 'fd00::/65' }, undefined],
    [{ subnet: 'fd00::/64' }, 'pool size exceeds int range'],
    [{ start: 'fd00::1', end: 'fd01::' }, 'pool size exceeds int range'],
    [{ end: '10.0.0.1' }, 'either Start or Subnet is required for ipAddress'],
    [{ start: '10.0.0.1' }, 'pool with Start requires End or Subnet to determine size'],
    [{ start: '10.0.1.0', subnet: '10.0.0.0/24' }, 'end IP 10.0.0.255 is before start IP 10.0.1.0'],
  ])('may be random with the entry %j: %s', (one, problem) => {
    expect(created({ allocationStrategy: 'random', pools: [one] })).toEqual(
      problem === undefined ? [] : [entry(`cannot be used with allocationStrategy "random": ${problem}`)],
    );
  });

  test('has valid gateway, name servers and preallocations, all within its entries and each once', () => {
    const preAllocations = { a: '10.0.0.2', b: '::ffff:10.0.0.2', c: 'x', d: '10.0.0.9' };
    expect(created({ pools: [RANGE], gateway: 'x', dnsServers: ['', 'y'], preAllocations })).toEqual([
      'spec.gateway: Invalid value: "x": is not a valid IP address',
      'spec.dnsServers[1]: Invalid value: "y": is not a valid IP address',
      'spec.preAllocations.b: Invalid value: "::ffff:10.0.0.2": IP address is already pre-allocated to claim "a"',
      'spec.preAllocations.c: Invalid value: "x": is not a valid IP address',
      'spec.preAllocations: Invalid value: "x": is out of bonds of the pools given',
      'spec.preAllocations: Invalid value: "10.0.0.9": is out of bonds of the pools given',
    ]);
  });

  test('is sequential unless it says otherwise', () => {
    expect(ipPoolDefaults.complete({ allocationStrategy: '' })).toEqual({ allocationStrategy: 'sequential' });
    expect(ipPoolDefaults.complete({})).toEqual({ allocationStrategy: 'sequential' });
    expect(ipPoolDefaults.complete({ allocationStrategy: 'random' })).toEqual({ allocationStrategy: 'random' });
  });

  test('is stored without what is empty in it and in its entries, as upstream stores it', () => {
    const strategy = { allocationStrategy: 'random' };
    expect(
      ipPoolDefaults.complete({ ...strategy, dnsServers: [], prefix: 0, preAllocations: {}, pools: [], gateway: null }),
    ).toEqual(strategy);
    const pools = [{ ...RANGE, dnsServers: [], prefix: 0, gateway: null }, null, { ...RANGE, prefix: 24 }];
    expect(ipPoolDefaults.complete({ ...strategy, pools, clusterName: '' })).toEqual({
      ...strategy,
      pools: [RANGE, null, { ...RANGE, prefix: 24 }],
      clusterName: '',
    });
  });
});

describe('an IPPool', () => {
  const before = { namePrefix: 'p', pools: [RANGE] };

  test('keeps its prefix and its strategy', () => {
    const spec = { ...before, namePrefix: 'q', allocationStrategy: 'random' } as const;
    expect(changed(pool(before), spec)).toEqual([
      'spec.namePrefix: Invalid value: "q": cannot be modified',
      'spec.allocationStrategy: Invalid value: "random": cannot be modified after creation',
    ]);
    expect(changed(pool(before), { ...before, allocationStrategy: 'sequential' })).toEqual([]);
  });

  test('keeps the addresses that are in use and those that it reserves', () => {
    const pools = [{ start: '10.0.0.2' }];
    expect(
      changed(pool(before, ['10.0.0.1', '10.0.0.3']), { ...before, pools, preAllocations: { a: '10.0.0.1' } }),
    ).toEqual([
      'spec.preAllocations: Invalid value: "10.0.0.1": is out of bounds of the pools given',
      'spec.pools: Invalid value: "10.0.0.1": is in use but out of bounds of the pools given',
    ]);
  });

  test('is checked like a new one', () => {
    expect(changed(pool(before), { ...before, pools: [{}] })).toEqual([
      entry('pool entry must specify at least one of start, end, or subnet'),
    ]);
  });
});

describe('an IPClaim', () => {
  const claim = (name?: string, rest = {}) => annotated({ pool: { ...(name !== undefined && { name }), ...rest } });

  test('names a pool, and may ask for an address', () => {
    expect(texts(ipClaimRules.created(claim()))).toEqual(['spec.pool.name: Invalid value: "": cannot be empty']);
    expect(texts(ipClaimRules.created(annotated({})))).toEqual(['spec.pool.name: Invalid value: "": cannot be empty']);
    const asking = (ipAddress: string) => ipClaimRules.created(annotated(claim('lan').spec, { ipAddress }));
    expect([asking('10.0.0.1'), asking('')]).toEqual([[], []]);
    expect(texts(asking('x'))).toEqual([
      'metadata.annotations.ipAddress: Invalid value: "x": is not a valid IP address',
    ]);
  });

  test('keeps its pool', () => {
    const fixed = (after: ReturnType<typeof claim>) => texts(ipClaimRules.changed(claim('lan'), after));
    expect(fixed(claim('lan', { namespace: '', uid: 'new' }))).toEqual([]);
    expect(fixed(claim('wan'))).toEqual(['spec.pool: Invalid value: {"name":"wan"}: cannot be modified']);
    expect(fixed(claim('lan', { namespace: 'other' }))).toHaveLength(1);
    expect(fixed(claim('lan', { kind: 'IPPool' }))).toHaveLength(1);
    expect(texts(ipClaimRules.changed(claim('lan'), annotated(claim('lan').spec, { ipAddress: 'x' })))).toHaveLength(1);
  });
});

describe('an IPAddress', () => {
  const spec = { address: '10.0.0.1', pool: { name: 'lan' }, claim: { name: 'a' } };

  test('names its pool and its claim, and has an address', () => {
    expect(ipAddressRules.created(annotated(spec))).toEqual([]);
    expect(texts(ipAddressRules.created(annotated({})))).toEqual([
      'spec.pool.name: Invalid value: "": cannot be empty',
      'spec.claim.name: Invalid value: "": cannot be empty',
      'spec.address: Invalid value: "": cannot be empty',
    ]);
    expect(texts(ipAddressRules.created(annotated({ ...spec, address: 'x' }, { ipAddress: 'y' })))).toEqual([
      'spec.address: Invalid value: "x": is not a valid IP address',
      'metadata.annotations.ipAddress: Invalid value: "y": is not a valid IP address',
    ]);
  });

  test('keeps all three', () => {
    const other = { address: '10.0.0.2', pool: { name: 'wan' }, claim: { name: 'b' } };
    expect(ipAddressRules.changed(annotated(spec), annotated({ ...spec, prefix: 24 }))).toEqual([]);
    expect(texts(ipAddressRules.changed(annotated(spec), annotated(other)))).toEqual([
      'spec.address: Invalid value: "10.0.0.2": cannot be modified',
      'spec.pool: Invalid value: {"name":"wan"}: cannot be modified',
      'spec.claim: Invalid value: {"name":"b"}: cannot be modified',
    ]);
  });
});
