import { describe, expect, test } from 'vitest';
import { aClaim, anAddress, aPool } from '../../test/builders/ip-pool.ts';
import { begin } from '../allocation/memory.ts';
import { parseAddress } from './address.ts';
import { ipPoolEntity } from './entity.ts';
import type { PoolSnapshot } from './snapshot.ts';
import { type Surveyed, survey } from './survey.ts';

const { spec } = aPool();
/** Ranges of one address, so many that the pool is sent in part. */
const ranges = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const address = `10.0.${at >> 8}.${at & 255}`;
    return { start: address, end: address, gateway: '10.255.255.254' };
  });
const LARGE = { ...spec, pools: ranges(3_000) };

function snapshotOf(given: Partial<Surveyed>): PoolSnapshot {
  const read = survey({ spec: LARGE, preAllocations: {}, claims: [], addresses: [], foreign: [], ...given });
  return aPool({ ...read } as never) as PoolSnapshot;
}
/** What the run does: the addresses that it gives, and the messages of claims that it refuses. */
function answersOf(seen: PoolSnapshot): readonly string[] {
  const step = ipPoolEntity.nextStep(begin(seen), { now: 1_000, shown: { finalizer: true } });
  if (step.kind !== 'act' || step.action.name !== 'settle') return [];
  return step.action.tasks.flatMap((task) =>
    task.kind === 'give' ? task.allocation.address : task.kind === 'refuse' ? task.message : [],
  );
}
const named = (at: number): string => `claim-${String(at).padStart(3, '0')}`;
const claims = (count: number) => Array.from({ length: count }, (_, at) => aClaim(named(at)));
const inUse = (count: number) =>
  Array.from({ length: count }, (_, at) => anAddress(`10.0.${at >> 8}.${at & 255}`, `x${at}`));

describe('a pool that is too large for one message', () => {
  test('gives the addresses that it would give as a whole', () => {
    const seen = snapshotOf({ claims: claims(3), addresses: inUse(600) });
    expect(seen.isPart).toBe(true);
    expect(answersOf(seen)).toEqual(['10.0.2.88', '10.0.2.89', '10.0.2.90']);
  });

  test('gives what claims ask for and what it keeps for them, and says why not as it would as a whole', () => {
    const asking = [
      aClaim('a', { requested: '10.0.9.9' }),
      aClaim('b', { requested: '10.0.0.0' }),
      aClaim('c', { requested: '10.99.0.0' }),
      aClaim('d'),
      aClaim('e', { requested: '10.0.9.1' }),
    ];
    const kept = (text: string) => ({ text, address: parseAddress(text) });
    const preAllocations = { d: kept('10.0.9.7'), other: kept('10.0.9.1') };
    expect(answersOf(snapshotOf({ claims: asking, addresses: inUse(600), preAllocations }))).toEqual([
      '10.0.9.9',
      'Requested IP not available',
      'Exhausted IP Pools',
      '10.0.9.7',
      'Requested IP not available',
    ]);
  });

  test('is exhausted only when the whole pool is', () => {
    const full = snapshotOf({ claims: claims(2), addresses: inUse(2_999) });
    expect(full).not.toHaveProperty('isPart');
    expect(answersOf(full)).toEqual(['10.0.11.183', 'Exhausted IP Pools']);
    const part = snapshotOf({ claims: claims(2) });
    const [first] = ranges(1);
    expect(answersOf({ ...part, spec: { ...part.spec, pools: first ? [first] : [] } })).toEqual(['10.0.0.0']);
  });

  test('has no ranges while no claim waits', () => {
    expect(snapshotOf({ addresses: inUse(600) })).toMatchObject({ spec: { pools: [] }, inUse: [], addresses: 600 });
  });
});
