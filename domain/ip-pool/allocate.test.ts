import { describe, expect, test } from 'vitest';
import { addressText, contains, parseAddress } from './address.ts';
import { type AllocationAnswer, createAllocator, type PoolState } from './allocate.ts';
import { intervalOf, type PoolEntry, permittedBy } from './ranges.ts';

type Asking = Parameters<ReturnType<typeof createAllocator>>[0];

const aPool = (spec: Partial<PoolState['spec']>, state: Partial<PoolState> = {}): PoolState => ({
  inUse: [],
  reserved: [],
  ...state,
  spec: { namePrefix: 'p', allocationStrategy: 'sequential', ...spec },
});
const aClaim = (given: Partial<Asking> = {}): Asking => ({ kind: 'IPClaim', uid: 'uid-1', ...given });
const short = (answer: AllocationAnswer): string => (answer.kind === 'given' ? answer.address : answer.message);
const answersOf = (pool: PoolState, ...claims: readonly Partial<Asking>[]): readonly string[] => {
  const allocate = createAllocator(pool);
  return claims.map((claim) => short(allocate(aClaim(claim))));
};

const rangeOf = (entry: PoolEntry): string => {
  const interval = intervalOf(entry);
  return interval === undefined ? 'nothing' : `${addressText(interval.first)}-${addressText(interval.last)}`;
};

describe('an entry of a pool', () => {
  test.each<[PoolEntry, string]>([
    [{ start: '10.0.0.1', end: '10.0.0.9' }, '10.0.0.1-10.0.0.9'],
    [{ start: '10.0.0.9', end: '10.0.0.1' }, 'nothing'],
    [{ start: '10.0.0.9' }, '10.0.0.9-255.255.255.255'],
    [{ start: 'fd00::9' }, 'fd00::9-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    [{ start: '10.0.0.9', subnet: '10.0.0.0/28' }, '10.0.0.9-10.0.0.15'],
    [{ start: '10.0.1.9', subnet: '10.0.0.0/28' }, 'nothing'],
    [{ start: '10.0.0.1', end: '10.0.0.99', subnet: '10.0.0.0/28' }, '10.0.0.1-10.0.0.15'],
    [{ subnet: '192.168.1.1/26' }, '192.168.1.2-192.168.1.63'],
    [{ subnet: '192.168.1.0/26', end: '192.168.1.9' }, '192.168.1.1-192.168.1.63'],
    [{ subnet: '192.168.1.1/32' }, 'nothing'],
    [{ end: '10.0.0.9' }, 'nothing'],
    [{}, 'nothing'],
    [{ start: 'x' }, 'nothing'],
    [{ start: '10.0.0.1', end: 'x' }, 'nothing'],
    [{ subnet: 'x' }, 'nothing'],
  ])('%j allocates %s', (entry, range) => {
    expect(rangeOf(entry)).toBe(range);
  });

  test.each<[PoolEntry, readonly string[], readonly string[]]>([
    [{ start: '10.0.0.2', end: '10.0.0.4' }, ['10.0.0.2', '10.0.0.4'], ['10.0.0.1', '10.0.0.5', 'fd00::1']],
    [{ subnet: '10.0.0.0/30' }, ['10.0.0.0', '10.0.0.3'], ['10.0.0.4']],
    [{ end: '10.0.0.4' }, ['10.0.0.4'], ['10.0.0.5']],
    [{ start: '10.0.0.2' }, ['10.0.0.2', 'fd00::1'], ['10.0.0.1']],
    [{}, [], ['10.0.0.1']],
    [{ start: 'x' }, [], ['10.0.0.1']],
    [{ end: 'x' }, [], ['10.0.0.1']],
    [{ subnet: 'x' }, [], ['10.0.0.1']],
  ])('%j permits %j and not %j', (entry, good, bad) => {
    const interval = permittedBy(entry);
    const isPermitted = (text: string): boolean =>
      interval !== undefined && contains(interval, parseAddress(text) ?? -1n);
    expect([good.filter(isPermitted), bad.filter(isPermitted)]).toEqual([good, []]);
  });
});

describe('a claim', () => {
  const three = { pools: [{ start: '10.0.0.10', end: '10.0.0.12' }] };

  test('gets the lowest free address, and none when all are taken', () => {
    const pool = aPool(three, { reserved: ['10.0.0.10'] });
    expect(answersOf(pool, {}, { preAllocated: '10.0.0.10' }, {}, {})).toEqual([
      '10.0.0.11',
      '10.0.0.10',
      '10.0.0.12',
      'Exhausted IP Pools',
    ]);
  });

  test('gets the address that the pool keeps for it, unless somebody has it or it is in no entry', () => {
    const preAllocated = '10.0.0.11';
    expect(answersOf(aPool(three, { inUse: ['10.0.0.11'] }), { preAllocated })).toEqual([
      'Pre-allocated IP not available',
    ]);
    expect(answersOf(aPool(three), { preAllocated: '10.0.0.99' })).toEqual(['Pre-allocated IP out of bounds']);
    // A subnet alone begins after the address that is written.
    expect(answersOf(aPool({ pools: [{ subnet: '10.0.0.0/24' }] }), { preAllocated: '10.0.0.0' })).toEqual([
      'Pre-allocated IP out of bounds',
    ]);
  });

  test.each([
    ['10.0.0.11', '10.0.0.11'],
    ['10.0.0.12', 'Requested IP not available'],
    ['10.0.0.10', 'Requested IP not available'],
    ['10.0.0.99', 'Exhausted IP Pools'],
    ['::ffff:10.0.0.11', '10.0.0.11'],
    ['10.0.0', 'Invalid ipAddress annotation "10.0.0": not a valid IP address'],
    ['', '10.0.0.11'],
  ])('that asks for %j is answered %s', (requested, answer) => {
    const pool = aPool(three, { inUse: ['10.0.0.12'], reserved: ['10.0.0.10'] });
    expect(answersOf(pool, { requested })).toEqual([answer]);
  });

  test('is answered from 30,000 full entries, whether it asks for an address or for any', () => {
    const pools = Array.from({ length: 30_000 }, (_, at) => ({ start: '10.0.0.1', end: '10.0.0.1', prefix: at % 30 }));
    const claims = Array.from({ length: 5_000 }, (_, at) => (at % 2 === 0 ? {} : { requested: '10.0.0.1' }));
    const answers = answersOf(aPool({ pools }, { inUse: ['10.0.0.1'] }), ...claims);
    expect(new Set(answers)).toEqual(new Set(['Exhausted IP Pools', 'Requested IP not available']));
  });

  test('that asks for another address than the pool keeps for it gets none', () => {
    const pool = aPool(three, { reserved: ['10.0.0.10'] });
    const preAllocated = '10.0.0.10';
    expect(
      answersOf(pool, { preAllocated, requested: '10.0.0.11' }, { preAllocated, requested: preAllocated }),
    ).toEqual(['PreAllocation and requested ip address are conflicting', '10.0.0.10']);
  });

  test('gets an address of a later entry when the earlier are full, with what that entry says', () => {
    const pools = [
      { start: '10.0.0.1', end: '10.0.0.1' },
      { subnet: '10.1.0.0/16', prefix: 16, gateway: '10.1.0.1', dnsServers: ['10.1.0.53'] },
      { subnet: 'fd00::/64', prefix: 64 },
    ];
    const defaults = { prefix: 24, gateway: '10.0.0.254', dnsServers: ['8.8.8.8'] };
    const allocate = createAllocator(aPool({ pools, ...defaults }, { inUse: ['10.1.0.2-10.1.255.255'] }));
    expect([allocate(aClaim()), allocate(aClaim()), allocate(aClaim())]).toEqual([
      { kind: 'given', address: '10.0.0.1', ...defaults },
      { kind: 'given', address: '10.1.0.1', prefix: 16, gateway: '10.1.0.1', dnsServers: ['10.1.0.53'] },
      { kind: 'given', address: 'fd00::1', prefix: 64, gateway: '10.0.0.254', dnsServers: ['8.8.8.8'] },
    ]);
  });

  test('gets the address that it asks for, or that the pool keeps for it, with what the entry of that address says', () => {
    const pools = [
      { start: '10.0.0.1', end: '10.0.0.9' },
      { start: '10.1.0.1', end: '10.1.0.9', prefix: 16, gateway: '10.1.0.254' },
    ];
    const allocate = createAllocator(aPool({ pools, prefix: 24 }));
    expect([
      allocate(aClaim({ requested: '10.1.0.5' })),
      allocate(aClaim({ preAllocated: '10.1.0.6' })),
      allocate(aClaim({ requested: '10.0.0.5' })),
    ]).toEqual([
      { kind: 'given', address: '10.1.0.5', prefix: 16, gateway: '10.1.0.254' },
      { kind: 'given', address: '10.1.0.6', prefix: 16, gateway: '10.1.0.254' },
      { kind: 'given', address: '10.0.0.5', prefix: 24 },
    ]);
  });

  test('of an entry that says nothing gets an address alone', () => {
    const pools = [{ start: '10.0.0.1', prefix: 0, dnsServers: [] }];
    expect(createAllocator(aPool({ pools }))(aClaim())).toEqual({ kind: 'given', address: '10.0.0.1' });
  });

  test('of Cluster API is refused a prefix that its contract does not know', () => {
    const pool = aPool({ ...three, prefix: -1 });
    expect(answersOf(pool, { kind: 'IPAddressClaim' }, { kind: 'IPClaim' })).toEqual([
      'Invalid prefix value, it must be between 0 and 128',
      '10.0.0.10',
    ]);
  });

  test('of Cluster API is told by the reason whether the pool is full', () => {
    const allocate = createAllocator(aPool({ pools: [] }));
    expect(allocate(aClaim({ kind: 'IPAddressClaim' }))).toMatchObject({ reason: 'PoolExhausted' });
    expect(allocate(aClaim({ requested: 'x' }))).toMatchObject({ reason: 'AllocationFailed' });
  });
});

describe('a random pool', () => {
  const random = { allocationStrategy: 'random' } as const;
  const uids = Array.from({ length: 50 }, (_, at) => ({
    uid: `5d0d2b6e-3c1f-4ef6-9d54-${String(at).padStart(12, '0')}`,
  }));

  test('gives addresses that follow from the uid of the claim alone', () => {
    const pool = aPool({ ...random, pools: [{ subnet: '10.0.0.0/16' }] });
    const answers = answersOf(pool, ...uids);
    expect(answersOf(pool, ...uids)).toEqual(answers);
    expect(new Set(answers).size).toBe(50);
    // Spread over the whole subnet: in each quarter of it some.
    const quarters = new Set(answers.map((text) => Math.floor(Number(text.split('.')[2]) / 64)));
    expect(quarters.size).toBe(4);
  });

  test('gives a claim the address that it asks for, or that the pool keeps for it, and no random one', () => {
    const pool = aPool({ ...random, pools: [{ subnet: '10.0.0.0/16' }] }, { reserved: ['10.0.9.9'] });
    expect(answersOf(pool, { requested: '10.0.7.7' }, { preAllocated: '10.0.9.9' })).toEqual(['10.0.7.7', '10.0.9.9']);
  });

  test('gives every address once before it is exhausted', () => {
    const pool = aPool({ ...random, pools: [{ subnet: 'fd00::/124' }] });
    const answers = answersOf(pool, ...uids.slice(0, 16));
    expect(new Set(answers.slice(0, 15)).size).toBe(15);
    expect(answers.at(-1)).toBe('Exhausted IP Pools');
  });
});
