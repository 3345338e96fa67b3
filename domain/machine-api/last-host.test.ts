import { expect, test } from 'vitest';
import { AT, aHostFact } from '../../test/builders/machine.ts';
import {
  actionOf,
  aMachineOf,
  answered,
  CONSUMER,
  ended,
  OTHER,
  stepOf,
  wordsOf,
} from '../../test/builders/machine-api.ts';
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
  expect(absorb(kept, aMachineOf({ versionsSince: 2, host: CLAIMED })).lastHost).toBeUndefined();
});

test('a Machine that a bridge that was started again meets during the claim keeps the host, or releases it', () => {
  const associated = { kind: 'associated', host: CLAIMED, viaReuse: false } as const;
  const claiming = begin(aMachineOf({ versionsSince: 1 }));
  const answeredAfter = (change: object): MachineApiMemory =>
    machineApiEntity.record(
      absorb(claiming, aMachineOf({ versionsSince: 2, ...change })),
      actionOf(claiming),
      { kind: 'done', answer: associated },
      { now: AT, dice: 0, before: claiming },
    );
  expect(next(answeredAfter({}))).toBe('look at last host');
  const leaving = answeredAfter(DELETED);
  expect(next(leaving)).toBe('look at last host');
  expect(next(answered(leaving, { kind: 'host', host: CLAIMED }))).toBe('release host');
});

test('a Machine that begins anew still knows its host, and looks at one whose claim has an unknown outcome', () => {
  const { begunAgain } = machineApiEntity;
  const taken = answered(begin(aMachineOf()), { kind: 'associated', host: CLAIMED, viaReuse: false });
  const again = begunAgain?.(taken, aMachineOf()) ?? taken;
  expect(next(again)).toBe('look at last host');
  expect(begunAgain?.(taken, aMachineOf({ host: CLAIMED })).lastHost).toBeUndefined();
  expect(begunAgain?.(again, aMachineOf()).lastHost).toBe('host-1');
  const unknown = { kind: 'invalid', message: 'timed out', claimed: 'host-1' } as const;
  expect(answered(begin(aMachineOf()), unknown).lastHost).toBe('host-1');
});

test('it searches for another one when it belongs to others, or is gone', () => {
  expect(next(answered(met(), { kind: 'taken', by: OTHER }))).toBe('associate');
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
