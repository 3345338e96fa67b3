import { expect, test } from 'vitest';
import { begin } from '../allocation/memory.ts';
import { parseAddress } from './address.ts';
import { numberOf } from './decide.ts';
import { ipPoolEntity } from './entity.ts';
import { addressName } from './names.ts';
import type { PoolSpec } from './ranges.ts';
import { type ClaimFacts, type Surveyed, survey } from './survey.ts';

/** The acceptance examples of ip-address-manager, from the objects to what is done for each claim. */
const aPool = (spec: Partial<PoolSpec>): PoolSpec => ({ namePrefix: 'p', allocationStrategy: 'sequential', ...spec });
const aClaim = (name: string, given: Partial<ClaimFacts> = {}): ClaimFacts => ({
  kind: 'IPClaim',
  name,
  uid: `${name}-uid`,
  creationTimestamp: '2026-01-01T00:00:00Z',
  deleting: false,
  held: false,
  heldByOthers: false,
  ...given,
});
const kept = (claim: string, text: string) => ({ [claim]: { text, address: parseAddress(text) } });
const anAddress = (claim: string, text: string): Surveyed['addresses'][number] => ({
  kind: 'IPClaim',
  claim,
  name: addressName('p', parseAddress(text) ?? 0n),
  address: parseAddress(text) ?? 0n,
  deleting: false,
  held: true,
});

/** By claim: name of the IPAddress and what it says, or the message. */
function answers(given: Partial<Surveyed> & Pick<Surveyed, 'spec'>): Readonly<Record<string, unknown>> {
  const { spec } = given;
  const read = survey({ preAllocations: {}, claims: [], addresses: [], foreign: [], ...given });
  const seen = {
    namespace: 'metal',
    name: 'lan',
    uid: 'pool-uid',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    paused: false,
    spec,
    ...read,
  };
  const step = ipPoolEntity.nextStep(begin(seen), { now: 1_000, shown: { finalizer: true } });
  if (step.kind !== 'act' || step.action.name !== 'settle') return {};
  return Object.fromEntries(
    step.action.tasks.flatMap((task): [string, unknown][] => {
      if (task.kind === 'refuse') return [[task.claim.name, task.message]];
      if (task.kind !== 'give') return [];
      const { address: _, ...rest } = task.allocation;
      return [[task.claim.name, { name: addressName(spec.namePrefix, numberOf(task.allocation)), ...rest }]];
    }),
  );
}

const three = { pools: [{ start: '10.0.0.10', end: '10.0.0.12' }] };
const full = ['10.0.0.10', '10.0.0.11', '10.0.0.12'].map((text) => anAddress(`of ${text}`, text));

test.each<[string, Partial<Surveyed> & Pick<Surveyed, 'spec'>, Readonly<Record<string, unknown>>]>([
  [
    'keeps an address for the claim of a name, gives the others in their order, and is exhausted',
    {
      spec: aPool(three),
      preAllocations: kept('c2', '10.0.0.10'),
      claims: ['c1', 'c2', 'c3', 'c4'].map((c) => aClaim(c)),
    },
    {
      c1: { name: 'p-10-0-0-11' },
      c2: { name: 'p-10-0-0-10' },
      c3: { name: 'p-10-0-0-12' },
      c4: 'Exhausted IP Pools',
    },
  ],
  [
    'gives of a subnet the address after the one that is written first',
    { spec: aPool({ pools: [{ subnet: '192.168.1.1/26' }] }), claims: [aClaim('c1')] },
    { c1: { name: 'p-192-168-1-2' } },
  ],
  [
    'gives of a second entry, with its prefix, gateway and name servers, when the first is full',
    {
      spec: aPool({
        pools: [...three.pools, { start: '10.1.0.1', prefix: 16, gateway: '10.1.0.254', dnsServers: ['10.1.0.53'] }],
        prefix: 24,
        gateway: '10.0.0.254',
        dnsServers: ['10.0.0.53'],
      }),
      claims: [aClaim('c')],
      addresses: full,
    },
    { c: { name: 'p-10-1-0-1', prefix: 16, gateway: '10.1.0.254', dnsServers: ['10.1.0.53'] } },
  ],
  [
    'refuses an address that is asked for while another claim has it',
    { spec: aPool(three), claims: [aClaim('c', { requested: '10.0.0.11' })], addresses: [anAddress('d', '10.0.0.11')] },
    { c: 'Requested IP not available' },
  ],
  [
    'gives it to the claim once it is free',
    {
      spec: aPool(three),
      claims: [aClaim('c', { requested: '10.0.0.11', error: 'Requested IP not available' })],
    },
    { c: { name: 'p-10-0-0-11' } },
  ],
  [
    'does nothing for a claim that leaves while others use it',
    {
      spec: aPool(three),
      claims: [aClaim('c', { deleting: true, held: true, heldByOthers: true, shown: 'p-10-0-0-11' })],
      addresses: [anAddress('c', '10.0.0.11')],
    },
    {},
  ],
])('a pool %s', (_what, given, expected) => {
  expect(answers(given)).toEqual(expected);
});
