import { expect, test } from 'vitest';
import {
  AT,
  actionOf,
  answered,
  aRemediation,
  aSickHost,
  BEGUN,
  inPhase,
  OUR_KEY,
  said,
  stepOf,
} from '../../test/builders/remediation.ts';
import { absorb } from './memory.ts';
import { record } from './record.ts';
import { show } from './show.ts';

const OFF = aSickHost({ heldBy: [OUR_KEY], poweredOn: false });

test.each(['Running', 'Waiting'] as const)(
  'a remediation in phase %s goes on although its strategy was removed',
  (phase) => {
    const { strategy: _, ...without } = aRemediation({ host: OFF });
    const memory = absorb(inPhase(phase, { host: OFF }), without);
    expect(said(memory)).toBe(phase === 'Running' ? 'free node' : `power on: ${OUR_KEY}`);
  },
);

test.each([
  ['Deleting machine', 'wait: Cluster API replaces the Machine'],
  ['Failed', 'wait: failed: its host is powered off by spec.online'],
] as const)('a remediation in phase %s stays in it, whatever spec.online of its host says', (phase, words) => {
  for (const online of [true, false]) {
    const memory = inPhase(phase, { host: aSickHost({ online }) });
    expect([said(memory), show(memory).state]).toEqual([words, phase]);
  }
});

test.each(['Running', 'Waiting'] as const)(
  'an attempt in phase %s that began next year, by another clock, begins now',
  (phase) => {
    const memory = inPhase(phase, { host: OFF });
    const ahead = { ...memory, record: { ...memory.record, lastRemediated: '2036-01-01T00:00:00Z' } };
    const step = stepOf(ahead, AT);
    expect(step).toMatchObject({ kind: 'note', memory: { record: { lastRemediated: BEGUN } } });
  },
);

test('a limit that was lowered under the retries that were made is reached', () => {
  const strategy = { type: 'Reboot', retryLimit: 1, timeoutSeconds: 100 };
  const memory = answered(inPhase('Waiting', { strategy }, 2), { kind: 'node', node: 'returned' });
  expect(said(memory, 100)).toBe('hand over');
});

test('a Node that is gone already when its host is off is not waited for', () => {
  expect(said(answered(inPhase('Running', { host: OFF }), { kind: 'node', node: 'absent' }))).toBe('become Waiting 0');
});

test('a host that a snapshot shows on while it is let on is not off again by the answer, which is older', () => {
  const strategy = { type: 'Reboot', retryLimit: 1, timeoutSeconds: 100 };
  const letting = inPhase('Waiting', { host: OFF, strategy });
  const isOn = aSickHost({ poweredOn: true, resourceVersion: '90' });
  const seen = absorb(
    letting,
    aRemediation({ host: isOn, strategy, status: { phase: 'Waiting', lastRemediated: BEGUN } }),
  );
  const answer = { kind: 'host', host: aSickHost({ poweredOn: false, resourceVersion: '80' }) } as const;
  const after = record(seen, actionOf(stepOf(letting)), { kind: 'done', answer }, { now: AT, before: letting });
  expect(said(after)).toBe('return node');
  const older = record(letting, actionOf(stepOf(letting)), { kind: 'done', answer }, { now: AT, before: letting });
  expect(said(older)).toContain('is powered on');
});
