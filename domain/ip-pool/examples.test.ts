import { expect, test } from 'vitest';
import { aClaim, anAddress, aPool } from '../../test/builders/ip-pool.ts';
import { begin } from '../allocation/memory.ts';
import { parseAddress } from './address.ts';
import { numberOf } from './decide.ts';
import { ipPoolEntity } from './entity.ts';
import { addressName } from './names.ts';
import type { PoolSpec } from './ranges.ts';
import { type Surveyed, survey } from './survey.ts';

/** The acceptance examples of ip-address-manager, from the objects to what is done for each claim. */
const aSpec = (spec: Partial<PoolSpec>): PoolSpec => ({ namePrefix: 'p', allocationStrategy: 'sequential', ...spec });
const kept = (claim: string, text: string) => ({ [claim]: { text, address: parseAddress(text) } });
/** By claim: name of the IPAddress and what it says, or the message. */
function answers(given: Partial<Surveyed> & Pick<Surveyed, 'spec'>): Readonly<Record<string, unknown>> {
  const { spec } = given;
  const read = survey({ preAllocations: {}, claims: [], addresses: [], foreign: [], ...given });
  const seen = aPool({ ...read });
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
const full = ['10.0.0.10', '10.0.0.11', '10.0.0.12'].map((text) => anAddress(text, `of ${text}`));

test.each<[string, Partial<Surveyed> & Pick<Surveyed, 'spec'>, Readonly<Record<string, unknown>>]>([
  [
    'keeps an address for the claim of a name, gives the others in their order, and is exhausted',
    {
      spec: aSpec(three),
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
    { spec: aSpec({ pools: [{ subnet: '192.168.1.1/26' }] }), claims: [aClaim('c1')] },
    { c1: { name: 'p-192-168-1-2' } },
  ],
  [
    'gives of a second entry, with its prefix, gateway and name servers, when the first is full',
    {
      spec: aSpec({
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
    { spec: aSpec(three), claims: [aClaim('c', { requested: '10.0.0.11' })], addresses: [anAddress('10.0.0.11', 'd')] },
    { c: 'Requested IP not available' },
  ],
  [
    'gives it to the claim once it is free',
    {
      spec: aSpec(three),
      claims: [aClaim('c', { requested: '10.0.0.11', error: 'Requested IP not available' })],
    },
    { c: { name: 'p-10-0-0-11' } },
  ],
  [
    'does nothing for a claim that leaves while others use it',
    {
      spec: aSpec(three),
      claims: [aClaim('c', { deleting: true, held: true, heldByOthers: true, shown: 'p-10-0-0-11' })],
      addresses: [anAddress('10.0.0.11', 'c')],
    },
    {},
  ],
])('a pool %s', (_what, given, expected) => {
  expect(answers(given)).toEqual(expected);
});
