import { expect, test } from 'vitest';
import { aHostFact } from '../../test/builders/machine.ts';
import { aMachineOf, answered, CONSUMER, ended, stepOf, wordsOf } from '../../test/builders/machine-api.ts';
import { machineApiEntity } from './entity.ts';
import type { MachineApiMemory } from './memory.ts';

const { absorb, begin } = machineApiEntity;
const CLAIMED = aHostFact({ consumer: CONSUMER, resourceVersion: '60' });
const DELETED = { deletionTimestamp: '2026-01-02T00:00:00Z' };

/** A Machine with a claimed host, after a snapshot of a restarted bridge that does not show it. */
const met = (change: object = {}): MachineApiMemory => {
  const associated = { kind: 'associated', host: CLAIMED, viaReuse: false } as const;
  const taken = answered(begin(aMachineOf({ versionsSince: 1 })), associated);
  return absorb(taken, aMachineOf({ versionsSince: 2, ...change }));
};
const next = (memory: MachineApiMemory): string => wordsOf(stepOf(memory));

test('a Machine whose host a restarted bridge does not show keeps it when it is still its own', () => {
  expect(next(met())).toBe('look at last host');
  const kept = answered(met(), { kind: 'host', host: CLAIMED });
  expect(next(kept)).toContain('fill host');
  expect(kept.lastHost).toBeUndefined();
});

test('it searches for another one when it belongs to others, or is gone', () => {
  expect(next(answered(met(), { kind: 'taken', by: { ...CONSUMER, name: 'worker-1' } }))).toBe('associate');
  expect(next(answered(met(), { kind: 'host', host: null }))).toBe('associate');
});

test('it looks again when it could not', () => {
  expect(next(ended(met(), { kind: 'failed', message: 'no answer' }))).toContain('wait: ');
  expect(next(absorb(met(), aMachineOf({ versionsSince: 3 })))).toBe('look at last host');
});

test('it does not look when the host is shown, or gone although the Machine names it', () => {
  expect(next(met({ host: CLAIMED }))).toContain('fill host');
  expect(next(absorb(met(), aMachineOf({ versionsSince: 2, host: CLAIMED })))).toContain('fill host');
  expect(next(met({ link: 'metal/host-1' }))).not.toBe('look at last host');
});

test('it releases the host when it is deleted at that time', () => {
  expect(next(met(DELETED))).toBe('look at last host');
  expect(next(answered(met(DELETED), { kind: 'host', host: CLAIMED }))).toBe('release host');
});
