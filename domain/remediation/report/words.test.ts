import { describe, expect, test } from 'vitest';
import {
  AT,
  actionOf,
  answered,
  aRemediation,
  aSickHost,
  aSickMachine,
  BEGUN,
  failed,
  inPhase,
  OUR_KEY,
  stepOf,
} from '../../../test/builders/remediation.ts';
import { OPENSHIFT_API } from '../../machine-api/names.ts';
import { remediationEntity } from '../entity.ts';
import type { RemediationMemory } from '../memory.ts';
import type { RemediationSnapshot } from '../snapshot.ts';

const { begin, detailsOf, nextInWords, summaryOf } = remediationEntity;

const NEWS = 'NodeReady Unknown 2025-12-31T23:50:00Z,HealthCheckSucceeded False 2025-12-31T23:55:00Z';
const machine = aSickMachine({ nodeNews: NEWS });
const OFF = aSickHost({ heldBy: [OUR_KEY], poweredOn: false });
const HELD = aSickHost({ heldBy: [OUR_KEY] });
const strategy = { type: 'Reboot', retryLimit: 2, timeoutSeconds: 100 };
const running = (change: Partial<RemediationSnapshot> = {}, retryCount = 0) =>
  inPhase('Running', { machine, strategy, ...change }, retryCount);
const waiting = (change: Partial<RemediationSnapshot> = {}, retryCount = 0) =>
  inPhase('Waiting', { machine, strategy, ...change }, retryCount);

/** The lines of the details at this time, in which the run waits or acts. */
function told(memory: RemediationMemory, seconds = 0): readonly string[] {
  const step = stepOf(memory, AT + seconds * 1_000);
  const [reason, until] = step.kind === 'wait' ? [step.reason, step.until] : ['', undefined];
  const details = detailsOf(memory, reason)
    .split('\n')
    .filter((line) => line !== '');
  return [...details, `- **Next** ${nextInWords?.(memory, until)}`];
}

const CONDITIONS =
  'condition of Node node-1: NodeReady is Unknown since 2025-12-31T23:50:00Z; ' +
  'Machine worker-1 is not healthy (HealthCheckSucceeded is False since 2025-12-31T23:55:00Z)';
const seen = (host: string, node = ''): string =>
  `- **Seen** host host-1 is ${host}, its consumer is Metal3Machine m3m-1${node}; ${CONDITIONS}`;
const BEGAN = '- **Done** the attempt began at 2026-01-01T00:00:00Z';
const KEPT_OFF = 'host host-1 is kept off by the annotation reboot.metal3.io/metal3-remediation-remediation-uid';
const TAINT = 'taint node.kubernetes.io/out-of-service';
const FREEING = `Node node-1 gets the ${TAINT}, or is deleted where its cluster does not act on that taint`;
const WAS_OFF = 'host host-1 was powered off; the annotation that kept host host-1 off was removed';
const STORED = 'labels and annotations of Node node-1 are stored in this Metal3Remediation';
const RESTORED = 'labels, annotations and taints of Node node-1 are as before';
const RETURNING = 'when Node node-1 is there, it gets back its labels and annotations, and loses the taint';
const AGAIN = 'host host-1 is powered off again (retry 1 of 2)';
const GIVEN_UP = 'host host-1 is marked unhealthy, and Machine worker-1 is given to its owner to be replaced';
const END = `the attempt ends at 2026-01-01T00:01:40Z; if Machine worker-1 is not healthy by then, ${AGAIN}`;
const END_OF_OFF =
  'the attempt ends at 2026-01-01T00:01:40Z, or later if the host is still off then; ' +
  `if Machine worker-1 is not healthy by then, ${AGAIN}`;

describe('the details of a run', () => {
  const head = (phase: string): string => `**Metal3Remediation worker-1** in metal: ${phase}`;
  const RUNNING = head('Running, first attempt');
  const WAITING = head('Waiting, first attempt');

  test('read like a procedure: what was seen and done, what is waited for, and what comes next', () => {
    const absent = answered(waiting({ hasBackup: true }), { kind: 'node', node: 'absent' }, AT + 20_000);
    expect(told(absent, 20)).toEqual([
      '**Metal3Remediation worker-1** in metal: Waiting, first attempt',
      '- **Seen** host host-1 is on, its state is provisioned, its consumer is Metal3Machine m3m-1; ' +
        'Node node-1 was looked for at 2026-01-01T00:00:20Z and not found; ' +
        'condition of Node node-1: NodeReady is Unknown since 2025-12-31T23:50:00Z; ' +
        'Machine worker-1 is not healthy (HealthCheckSucceeded is False since 2025-12-31T23:55:00Z)',
      '- **Done** the attempt began at 2026-01-01T00:00:00Z; host host-1 was powered off; ' +
        'the annotation that kept host host-1 off was removed; ' +
        'labels and annotations of Node node-1 are stored in this Metal3Remediation',
      '- **Waits** until Node node-1 is back',
      '- **Next** when Node node-1 is there, it gets back its labels and annotations, and loses the taint; ' +
        'the attempt ends at 2026-01-01T00:01:40Z; ' +
        'if Machine worker-1 is not healthy by then, host host-1 is powered off again (retry 1 of 2)',
    ]);
  });

  const off = running({ host: OFF });
  const draining = answered(off, { kind: 'node', node: 'draining' });
  const isOff = seen('off, its state is provisioned');
  const isOn = seen('on, its state is provisioned');
  const poweredOff = `- **Next** when host host-1 is off, ${FREEING}; then host host-1 is powered on again; ${END_OF_OFF}`;
  const letOn = `- **Next** host host-1 is powered on again; ${END_OF_OFF}`;
  test.each([
    ['an attempt that begins', running(), [RUNNING, isOn, BEGAN, poweredOff]],
    [
      'a host that is to be powered off',
      running({ host: HELD }),
      [RUNNING, isOn, `${BEGAN}; ${KEPT_OFF}`, '- **Waits** until host host-1 is powered off', poweredOff],
    ],
    [
      'a host whose power-off fails, with its error once',
      running({ host: { ...HELD, errorMessage: 'BMC is away' } }),
      [RUNNING, isOn, `${BEGAN}; ${KEPT_OFF}`, '- **Waits** until host host-1 is powered off: BMC is away', poweredOff],
    ],
    [
      'a host that is never powered off',
      running({ host: { ...HELD, disablePowerOff: true } }),
      [
        RUNNING,
        isOn,
        `${BEGAN}; ${KEPT_OFF}`,
        '- **Waits** for this reason: host host-1 is never powered off, because of spec.disablePowerOff',
        '- **Next** nothing while spec.disablePowerOff of host host-1 is true',
      ],
    ],
    [
      'a host that is off',
      off,
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}`,
        `- **Next** ${FREEING}; then host host-1 is powered on again; ${END_OF_OFF}`,
      ],
    ],
    [
      'a host that is off while its cluster is away',
      answered(off, { kind: 'unreachable', message: 'away' }),
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}`,
        '- **Waits** to try again after: away',
        `- **Next** it tries again at 2026-01-01T00:00:05Z; ${FREEING}; ` +
          `then host host-1 is powered on again, at 2026-01-01T00:01:00Z at the latest; ${END_OF_OFF}`,
      ],
    ],
    [
      'a Node with the taint',
      draining,
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}; Node node-1 has the ${TAINT}`,
        '- **Next** when Pods and volumes have left Node node-1, or the time for that is over, ' +
          `host host-1 is powered on again; ${END_OF_OFF}`,
      ],
    ],
    [
      'a Node that is free',
      answered(draining, { kind: 'node', node: 'freed' }),
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}; no Pod that is being deleted and no volume is left on Node node-1`,
        letOn,
      ],
    ],
    [
      'a Node that is not free in time',
      answered(draining, { kind: 'node', node: 'left' }),
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}; Node node-1 has the ${TAINT}; its Pods and volumes did not leave it in time`,
        letOn,
      ],
    ],
    [
      'a Node that was deleted',
      answered(running({ host: OFF, hasBackup: true }), { kind: 'node', node: 'freed' }),
      [RUNNING, isOff, `${BEGAN}; ${KEPT_OFF}; ${STORED}; Node node-1 was deleted`, letOn],
    ],
    [
      'a host that could not be let on',
      failed(waiting({ host: OFF }), 'no'),
      [
        WAITING,
        isOff,
        `${BEGAN}; host host-1 was powered off; ${KEPT_OFF}`,
        '- **Waits** to try again after: no',
        `- **Next** it tries again at 2026-01-01T00:00:05Z; host host-1 is powered on; ${RETURNING}; ${END}`,
      ],
    ],
    [
      'a host that is to be powered on',
      waiting({ host: aSickHost({ poweredOn: false, errorMessage: 'no power' }) }),
      [
        WAITING,
        seen('off, its state is provisioned', ', its error is: no power'),
        `${BEGAN}; ${WAS_OFF}`,
        '- **Waits** until host host-1 is powered on',
        `- **Next** host host-1 is powered on; ${RETURNING}; ${END}`,
      ],
    ],
    [
      'a Node that is back',
      answered(waiting(), { kind: 'node', node: 'returned' }),
      [
        WAITING,
        seen('on, its state is provisioned', '; Node node-1 is back'),
        `${BEGAN}; ${WAS_OFF}; ${RESTORED}`,
        '- **Waits** until Machine worker-1 is healthy',
        `- **Next** ${END}`,
      ],
    ],
    [
      'a Machine that is healthy',
      answered(waiting({ machine: aSickMachine({ healthy: true }) }), { kind: 'node', node: 'returned' }),
      [
        WAITING,
        '- **Seen** host host-1 is on, its state is provisioned, its consumer is Metal3Machine m3m-1; ' +
          'Node node-1 is back; Machine worker-1 is healthy',
        `${BEGAN}; ${WAS_OFF}; ${RESTORED}`,
        '- **Waits** until Machine worker-1 is healthy',
        '- **Next** its health check deletes this Metal3Remediation; ' +
          `if Machine worker-1 is not healthy at 2026-01-01T00:01:40Z or later, ${AGAIN}`,
      ],
    ],
    [
      'a retry',
      running({}, 1),
      [head('Running, retry 1 of 2'), isOn, BEGAN, poweredOff.replace('retry 1 of 2', 'retry 2 of 2')],
    ],
    [
      'the last attempt',
      answered(waiting({}, 2), { kind: 'node', node: 'returned' }),
      [
        head('Waiting, retry 2 of 2'),
        seen('on, its state is provisioned', '; Node node-1 is back'),
        `${BEGAN}; ${WAS_OFF}; ${RESTORED}`,
        '- **Waits** until Machine worker-1 is healthy',
        `- **Next** ${END.replace(AGAIN, GIVEN_UP)}`,
      ],
    ],
    [
      'a remediation that is over',
      inPhase('Deleting machine', { machine, strategy, host: aSickHost({ unhealthy: true }) }, 2),
      [
        head('Deleting machine, retry 2 of 2'),
        seen('on, its state is provisioned', ', it is marked unhealthy'),
        '- **Done** the last attempt is over; host host-1 was marked unhealthy; ' +
          'Machine worker-1 was given to its owner to be replaced',
        '- **Waits** for this reason: Cluster API replaces the Machine',
        '- **Next** the owner of the Machine replaces it, and this Metal3Remediation is deleted with the Machine',
      ],
    ],
    [
      'a host that is off on purpose',
      inPhase('Failed', { machine, strategy, host: aSickHost({ online: false, poweredOn: false }) }),
      [
        head('Failed'),
        seen('off, its state is provisioned', ', its spec.online is false'),
        '- **Done** the remediation has ended, because spec.online of the host was false',
        '- **Waits** for this reason: failed: its host is powered off by spec.online',
        '- **Next** nothing before this Metal3Remediation is deleted',
      ],
    ],
    [
      'a pause',
      running({ paused: true, host: OFF }),
      [
        RUNNING,
        isOff,
        `${BEGAN}; ${KEPT_OFF}`,
        '- **Waits** for this reason: paused',
        '- **Next** nothing before the pause ends',
      ],
    ],
    [
      'a host that is being deprovisioned, and still kept off',
      running({ host: { ...OFF, state: 'deprovisioning' } }),
      [
        RUNNING,
        seen('off, its state is deprovisioning'),
        `${BEGAN}; ${KEPT_OFF}`,
        '- **Next** the annotation that keeps host host-1 off is removed; the attempt goes on only if this changes',
      ],
    ],
    [
      'a host that is being deprovisioned',
      running({ host: aSickHost({ state: 'deprovisioning' }) }),
      [
        RUNNING,
        seen('on, its state is deprovisioning'),
        BEGAN,
        "- **Waits** for this reason: host host-1 is not provisioned: its state is 'deprovisioning'",
        '- **Next** the attempt goes on only if this changes',
      ],
    ],
    [
      'a host that does not exist',
      waiting({ host: null }),
      [
        WAITING,
        `- **Seen** the host of Metal3Machine m3m-1 does not exist; ${CONDITIONS}`,
        BEGAN,
        '- **Next** Machine worker-1 is given to its owner to be replaced, because its host does not exist',
      ],
    ],
    [
      'a Metal3Remediation that is being deleted',
      answered(waiting({ deletionTimestamp: BEGUN, hasBackup: true }), { kind: 'node', node: 'absent' }),
      [
        WAITING,
        seen('on, its state is provisioned', '; Node node-1 was looked for at 2026-01-01T00:00:00Z and not found'),
        `${BEGAN}; ${WAS_OFF}; ${STORED}`,
        '- **Waits** for this reason: being deleted: waiting until Node node-1 is back',
        '- **Next** Node node-1 gets back what it lost, if it is there; ' +
          'then this Metal3Remediation is gone, at 2026-01-01T00:01:40Z at the latest',
      ],
    ],
    [
      'a Metal3Remediation that is being deleted, whose host can not be let on',
      failed(waiting({ deletionTimestamp: BEGUN, host: OFF }), 'no'),
      [
        WAITING,
        isOff,
        `${BEGAN}; host host-1 was powered off; ${KEPT_OFF}`,
        '- **Waits** to try again after: no',
        '- **Next** it tries again at 2026-01-01T00:00:05Z; ' +
          'the annotation that keeps host host-1 off is removed; then this Metal3Remediation is gone',
      ],
    ],
    [
      'a remediation that can not begin',
      begin(aRemediation({ machine: null })),
      [
        head('not begun'),
        '- **Seen** its Machine does not exist; host host-1 is on, its state is provisioned',
        '- **Done** nothing yet',
        '- **Waits** for this reason: its Machine does not exist',
        '- **Next** it begins when this has changed',
      ],
    ],
  ] satisfies readonly (readonly [string, RemediationMemory, readonly string[]])[])('of %s', (_, memory, lines) => {
    expect(told(memory)).toEqual(lines);
  });

  test('of a Machine of the Machine API tell of its Node, which is deleted, and of its own deletion', () => {
    const own = aSickMachine({ api: OPENSHIFT_API, metal3Machine: 'worker-1', nodeNews: 'node-uid not ready' });
    const unseen = aSickMachine({ ...own, nodeNews: '' });
    const [, known, , next = ''] = told(running({ machine: own, host: OFF }, 2));
    expect(known).toBe(
      '- **Seen** host host-1 is off, its state is provisioned, its consumer is Machine worker-1; ' +
        'Node node-1 is not ready; Machine worker-1 does not show whether it is healthy',
    );
    expect(next).toMatch(/^- \*\*Next\*\* Node node-1 is deleted; then host host-1 is powered on again; /);
    expect(next).toMatch(
      /host-1 is marked unhealthy, and Machine worker-1 is deleted if it has an owner that replaces it$/,
    );
    expect(told(running({ machine: unseen, host: OFF }))[1]).toContain('; Node node-1 does not exist; ');
  });

  test('can be written also for a time that no date can show', () => {
    const endless = running({ strategy: { ...strategy, timeoutSeconds: Number.MAX_SAFE_INTEGER } });
    expect(nextInWords?.(endless)).toContain('the attempt ends at a time too far away');
  });
});

test('what the run does is told in words', () => {
  expect(summaryOf(actionOf(stepOf(running())))).toBe('Keep host host-1 off');
  expect(summaryOf(actionOf(stepOf(waiting({ host: OFF }))))).toBe('Let host host-1 be powered on');
});
