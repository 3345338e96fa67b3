import { describe, expect, test } from 'vitest';
import {
  AT,
  actionOf,
  answered,
  aSickHost,
  aSickMachine,
  BEGUN,
  inPhase,
  said,
  stepOf,
  UID,
} from '../../test/builders/remediation.ts';
import type { RemediationSnapshot } from './snapshot.ts';

describe('the end of an attempt', () => {
  const last = (change: Partial<RemediationSnapshot> = {}, retryCount = 1) =>
    answered(inPhase('Waiting', change, retryCount), { kind: 'node', node: 'returned' });

  test('hands the Machine over after the last retry', () => {
    const memory = last();
    expect(said(memory, 99)).toMatch(/^wait/);
    expect(actionOf(stepOf(memory, AT + 100_000))).toEqual({
      name: 'hand over',
      order: {
        remediation: { namespace: 'metal', name: 'worker-1', uid: UID },
        retryCount: 1,
        lastRemediated: BEGUN,
        host: { namespace: 'metal', name: 'host-1', uid: 'host-uid' },
        machine: { namespace: 'metal', name: 'worker-1', uid: 'machine-uid' },
        metal3Machine: 'm3m-1',
        message: 'not healthy 100 s after host host-1 was rebooted, in 2 attempts',
      },
    });
    const over = answered(memory, { kind: 'handed over' }, AT + 100_000);
    expect(said(over, 100)).toBe('become Deleting machine 1');
  });

  test.each([
    ['without a limit', { strategy: { type: 'Reboot', timeoutSeconds: 100 } }, 0, 100, 'hand over'],
    ['without a timeout', { strategy: { type: 'Reboot', retryLimit: 1 } }, 0, 599, /until 600 s/],
    [
      'with a timeout of 0',
      { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 0 } },
      0,
      600,
      'become Running 1',
    ],
    [
      'with retries left',
      { strategy: { type: 'Reboot', retryLimit: 3, timeoutSeconds: 100 } },
      2,
      100,
      'become Running 3',
    ],
  ] as const)('%s is as the strategy says', (_, change, retryCount, seconds, words) => {
    expect(said(last(change, retryCount), seconds)).toMatch(words);
  });

  test('comes also for a host that can not be powered on', () => {
    expect(said(inPhase('Waiting', { host: aSickHost({ poweredOn: false }) }, 1), 100)).toBe('hand over');
  });

  test('does not disturb a machine that is healthy by then', () => {
    const machine = aSickMachine({ healthy: true });
    const reason = 'wait: Machine worker-1 is healthy: waiting until its health check deletes this';
    expect([said(last({ machine }, 0), 100), said(last({ machine }), 100)]).toEqual([reason, reason]);
  });

  test('comes at once when the host does not exist any more', () => {
    for (const phase of ['Running', 'Waiting'] as const) {
      expect(actionOf(stepOf(inPhase(phase, { host: null })))).toMatchObject({
        name: 'hand over',
        order: { host: null, message: 'its host does not exist any more' },
      });
    }
  });
});
