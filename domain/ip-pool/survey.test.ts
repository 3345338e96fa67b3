import { describe, expect, test } from 'vitest';
import { aClaim, anAddress, aPool } from '../../test/builders/ip-pool.ts';
import { parseAddress } from './address.ts';
import { type AddressFacts, type ClaimFacts, type Surveyed, survey } from './survey.ts';

const { spec } = aPool();
const surveyed = (given: Partial<Surveyed>) =>
  survey({ spec, preAllocations: {}, claims: [], addresses: [], foreign: [], ...given });
const namesOf = (given: Partial<Surveyed>) => surveyed(given).claims.map(({ name }) => name);
const EXHAUSTED = 'Exhausted IP Pools';

describe('the open claims of a pool', () => {
  test('are those without an address and those that leave, the oldest first', () => {
    const claims = [
      aClaim('young', { creationTimestamp: '2026-01-02T00:00:00Z' }),
      aClaim('old'),
      aClaim('served', { shown: 'p-10-0-0-1' }),
      aClaim('leaving', { deleting: true, shown: 'p-10-0-0-2' }),
      aClaim('used by others', { deleting: true, heldByOthers: true }),
      aClaim('never held', { deleting: true, held: false }),
    ];
    expect(namesOf({ claims })).toEqual(['leaving', 'old', 'young']);
  });

  test.each([
    ['it asks for another', { requested: '10.0.0.2' }],
    ['its IPAddress is missing', { shown: 'elsewhere' }],
    ['an error is left from before', { error: EXHAUSTED }],
  ])('are never those that show an address, also when %s', (_, change) => {
    const claims = [aClaim('served', { shown: 'p-10-0-0-1', ...change })];
    const kept = { text: '10.0.0.3', address: parseAddress('10.0.0.3') };
    const addresses = [anAddress('10.0.0.1', 'served')];
    expect(namesOf({ claims, addresses, preAllocations: { served: kept } })).toEqual([]);
    expect(namesOf({ claims, addresses: [] })).toEqual([]);
  });

  test('are not those that show already why they get nothing', () => {
    const claims = [aClaim('told', { error: EXHAUSTED }), aClaim('new'), aClaim('told otherwise', { error: 'x' })];
    const full = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((text) => anAddress(text, 'other'));
    expect(namesOf({ claims, addresses: full })).toEqual(['new', 'told otherwise']);
    expect(namesOf({ claims, addresses: full.slice(2) })).toEqual(['new', 'told', 'told otherwise']);
  });

  test('are some hundreds at most, and those that the API server refuses keep no others out', () => {
    const many = Array.from({ length: 300 }, (_, at) =>
      aClaim(`refused-${at}`, { error: 'Failed to create associated IPAddress object' }),
    );
    const young = aClaim('young', { creationTimestamp: '2026-02-01T00:00:00Z' });
    const names = namesOf({ spec: { ...spec, pools: [{ subnet: '10.0.0.0/16' }] }, claims: [...many, young] });
    expect([names.length, names[0]]).toEqual([100, 'young']);
  });

  test.each(['Failed to get associated IPAddress object', 'Failed to delete associated IPAddress object'])(
    'that are being deleted and show %j are released after the others',
    (error) => {
      const young = aClaim('young', { deleting: true, creationTimestamp: '2026-02-01T00:00:00Z' });
      expect(namesOf({ claims: [aClaim('refused', { deleting: true, error }), young] })).toEqual(['young', 'refused']);
    },
  );

  test('have what the pool keeps for them, what they ask for, and the IPAddresses of their kind', () => {
    const claims = [aClaim('a', { requested: '10.0.0.2' }), aClaim('a', { kind: 'IPAddressClaim', uid: 'other' })];
    const addresses = [
      anAddress('10.0.0.2', 'a'),
      anAddress('10.0.0.1', 'a', { deleting: true, held: false }),
      anAddress('10.0.0.3', 'a', { kind: 'IPAddressClaim' }),
    ];
    const kept = { text: '10.0.0.2', address: parseAddress('10.0.0.2') };
    expect(surveyed({ claims, addresses, preAllocations: { a: kept } })).toMatchObject({
      claims: [
        {
          kind: 'IPClaim',
          requested: '10.0.0.2',
          preAllocated: '10.0.0.2',
          addresses: [{ name: 'p-10-0-0-2', address: '10.0.0.2' }],
        },
        { kind: 'IPAddressClaim', addresses: [{ name: 'p-10-0-0-3', address: '10.0.0.3' }] },
      ],
      inUse: ['10.0.0.1-10.0.0.3'],
      reserved: ['10.0.0.2'],
      addresses: 3,
    });
    expect(surveyed({ claims: [aClaim('constructor')], preAllocations: {} }).claims[0]).not.toHaveProperty(
      'preAllocated',
    );
  });

  test('leave out the addresses of other pools with the same names', () => {
    expect(surveyed({ claims: [aClaim('a')], foreign: [parseAddress('10.0.0.9') ?? 0n] })).toMatchObject({
      inUse: ['10.0.0.9'],
      addresses: 0,
    });
  });
});

describe('an IPAddress is loose', () => {
  const loose = (claim: Partial<ClaimFacts> | undefined, address: Partial<AddressFacts>): boolean =>
    surveyed({
      claims: claim === undefined ? [] : [aClaim('a', claim)],
      addresses: [anAddress('10.0.0.1', 'a', address)],
    }).loose.length > 0;

  test.each<[string, Partial<ClaimFacts> | undefined, Partial<AddressFacts>, boolean]>([
    ['it leaves and its claim is gone', undefined, { deleting: true }, true],
    ['it leaves and its claim does not show it yet', {}, { deleting: true }, true],
    ['it leaves and its claim shows it', { shown: 'p-10-0-0-1' }, { deleting: true }, false],
    ['it leaves and its claim shows another', { shown: 'p-10-0-0-2' }, { deleting: true }, true],
    ['it leaves with its claim', { deleting: true }, { deleting: true }, false],
    ['it leaves without our finalizer', undefined, { deleting: true, held: false }, false],
    ['its claim is gone', undefined, {}, false],
    ['its claim shows another', { shown: 'p-10-0-0-2' }, {}, true],
    ['its claim shows another, and it is not ours', { shown: 'p-10-0-0-2' }, { held: false }, false],
    ['its claim shows it', { shown: 'p-10-0-0-1' }, {}, false],
  ])('when %s: %j %j %s', (_, claim, address, isLoose) => {
    expect(loose(claim, address)).toBe(isLoose);
  });
});
