import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aNode as aNodeAtRest } from '../../../test/builders/host.ts';
import { BUSY_NODE_STATES, type IronicNode } from '../node/node.ts';
import { abortMove } from './abort.ts';
import { adoptMove } from './adopt.ts';
import { deleteMove } from './delete.ts';
import { deployMove } from './deploy.ts';
import { inspectMove } from './inspect.ts';
import { afterStep, type Move } from './move.ts';
import { powerFailure, powerMove } from './power.ts';
import { provideMove } from './provide.ts';
import { registerMove } from './register.ts';
import { undeployMove } from './undeploy.ts';

const aNode = (node: Partial<IronicNode> = {}): IronicNode => aNodeAtRest({ id: 'n', ...node });

/** A move as one word or as its steps. */
const short = (move: Move): string => (move.kind === 'go' ? move.steps.join(' > ') : move.kind);

describe('a deployment', () => {
  const order = { isSame: true, retry: false, ownFailure: false };

  test.each([
    ['available', order, 'active'],
    ['deploying', order, 'wait'],
    ['wait call-back', order, 'wait'],
    ['active', order, 'done'],
    ['active', { ...order, isSame: false }, 'fail'],
    ['deploying', { ...order, isSame: false }, 'fail'],
    ['wait call-back', { ...order, isSame: false }, 'fail'],
    ['deploy failed', order, 'fail'],
    ['deploy failed', { ...order, retry: true }, 'active'],
    ['deploy failed', { ...order, retry: true, ownFailure: true }, 'fail'],
    ['deploy failed', { ...order, isSame: false }, 'active'],
    ['cleaning', order, 'wait'],
    ['manageable', order, 'fail'],
    ['wait call-back', { ...order, force: true }, 'deleted'],
    ['wait call-back', { ...order, force: true, isSame: false }, 'fail'],
    ['deploying', { ...order, force: true }, 'wait'],
    ['active', { ...order, force: true }, 'done'],
  ] as const)('of a node in %s %o: %s', (state, options, expected) => {
    expect(short(deployMove(aNode({ state }), options))).toBe(expected);
  });

  test('is never requested when one runs, is complete, or failed for the same order', () => {
    const under = fc.constantFrom('deploying', 'wait call-back', 'active', 'deploy failed');
    fc.assert(
      fc.property(under, fc.boolean(), fc.boolean(), (state, retry, maintenance) => {
        const move = deployMove(aNode({ state, maintenance }), { isSame: true, retry, ownFailure: true });
        expect(move.kind).not.toBe('go');
      }),
    );
  });
});

describe('every move', () => {
  const moves: readonly ((node: IronicNode) => Move)[] = [
    (node) => deployMove(node, { isSame: true, retry: false, ownFailure: false }),
    (node) => undeployMove(node, { retry: false }),
    (node) => inspectMove(node, { retry: false, satisfied: false }),
    (node) => provideMove(node, { retry: false }),
  ];

  test.each(BUSY_NODE_STATES)('leaves a node in %s alone unless that is a wait it may end', (state) => {
    for (const move of moves) {
      expect(short(move(aNode({ state })))).toMatch(
        ['wait call-back', 'rescue wait', 'service wait'].includes(state) ? /^(wait|done|deleted)$/ : /^(wait|done)$/,
      );
    }
  });

  test('takes a node that a person put into maintenance out of it first', () => {
    expect(short(provideMove(aNode({ maintenance: true }), { retry: false }))).toBe('clear maintenance > provide');
  });

  test('waits for a fault to heal', () => {
    const node = aNode({ maintenance: true, fault: 'power failure' });
    expect(provideMove(node, { retry: false })).toEqual({ kind: 'faulty', fault: 'power failure' });
  });

  test('overcomes the fault that a failure left behind', () => {
    const node = aNode({ state: 'clean failed', maintenance: true, fault: 'clean failure' });
    expect(short(undeployMove(node, { retry: true }))).toBe('clear maintenance > manage > provide');
  });

  test('reports a failure that is not to be retried with the message of Ironic', () => {
    const node = aNode({ state: 'clean failed', lastError: 'disk on fire' });
    expect(undeployMove(node, { retry: false })).toEqual({ kind: 'fail', message: 'disk on fire' });
  });

  test('fails with a message in an unknown state', () => {
    expect(undeployMove(aNode({ state: 'quantum' }), { retry: true })).toEqual({
      kind: 'fail',
      message: "node n is in state 'quantum' and can't be deprovisioned",
    });
  });
});

describe('an undeployment', () => {
  test.each([
    ['active', false, 'deleted'],
    ['active', true, 'done'],
    ['deleting', true, 'wait'],
    ['cleaning', true, 'wait'],
    ['manageable', true, 'provide'],
    ['available', true, 'done'],
  ])('of a node in %s, whose image is asked for again: %s: %s', (state, isAskedForAgain, expected) => {
    expect(short(undeployMove(aNode({ state }), { retry: false, isAskedForAgain }))).toBe(expected);
  });
});

describe('an inspection', () => {
  const wanted = { retry: false, satisfied: false };

  test.each([
    ['manageable', wanted, 'inspect'],
    ['manageable', { ...wanted, satisfied: true }, 'done'],
    ['available', { ...wanted, satisfied: true }, 'done'],
    ['available', wanted, 'manage > inspect'],
    ['inspect failed', wanted, 'fail'],
    ['inspect failed', { ...wanted, retry: true }, 'manage > inspect'],
    ['active', wanted, 'fail'],
    ['inspect wait', { ...wanted, force: true }, 'abort'],
    ['inspecting', { ...wanted, force: true }, 'wait'],
    ['manageable', { ...wanted, force: true }, 'inspect'],
  ] as const)('of a node in %s %o: %s', (state, options, expected) => {
    expect(short(inspectMove(aNode({ state, lastError: 'no agent' }), options))).toBe(expected);
  });

  test('that failed without a message is a failure as well', () => {
    expect(inspectMove(aNode({ state: 'inspect failed' }), wanted)).toEqual({ kind: 'fail', message: '' });
  });

  test('that was aborted starts over', () => {
    const node = aNode({ state: 'inspect failed', lastError: 'Inspection was aborted by request.' });
    expect(short(inspectMove(node, wanted))).toBe('manage > inspect');
  });
});

describe('making available', () => {
  test.each([
    ['manageable', false, 'provide'],
    ['inspect failed', false, 'manage > provide'],
    ['clean failed', false, 'fail'],
    ['clean failed', true, 'manage > provide'],
    ['available', false, 'done'],
    ['deploying', false, 'done'],
    ['wait call-back', false, 'done'],
    ['active', false, 'done'],
    ['deploy failed', false, 'done'],
    ['enroll', false, 'fail'],
  ] as const)('a node in %s, retry %s: %s', (state, retry, expected) => {
    expect(short(provideMove(aNode({ state }), { retry }))).toBe(expected);
  });

  test('does not hurry a failed node whose power Ironic is still looking for', () => {
    const node = aNode({ state: 'clean failed', maintenance: true, fault: 'power failure' });
    expect(provideMove(node, { retry: true })).toEqual({ kind: 'faulty', fault: 'power failure' });
  });
});

describe('aborting', () => {
  test.each([
    ['inspect wait', 'abort'],
    ['clean wait', 'abort'],
    ['inspecting', 'wait'],
    ['cleaning', 'wait'],
    ['active', 'done'],
    ['deploying', 'done'],
  ] as const)('a node in %s: %s', (state, expected) => {
    expect(short(abortMove(aNode({ state }), true))).toBe(expected);
  });

  test('leaves the state to be looked up', () => {
    expect(afterStep(aNode({ state: 'inspect wait' }), 'abort').state).toBe('inspect wait');
  });
});

describe('undeploying', () => {
  test.each([
    ['active', false, 'deleted'],
    ['deploy failed', false, 'deleted'],
    ['wait call-back', false, 'deleted'],
    ['manageable', false, 'provide'],
    ['available', false, 'done'],
    ['inspect failed', false, 'manage > provide'],
    ['clean failed', true, 'manage > provide'],
    ['error', true, 'deleted'],
    ['error', false, 'fail'],
  ] as const)('a node in %s, retry %s: %s', (state, retry, expected) => {
    expect(short(undeployMove(aNode({ state }), { retry }))).toBe(expected);
  });

  test.each([
    [null, false, 'manage'],
    ['BMC is away', false, 'fail'],
    ['BMC is away', true, 'manage'],
  ])(
    'a node of an Ironic that was put back, with the error %s, retry %s, verifies its BMC first: %s',
    (lastError, retry, expected) => {
      expect(short(undeployMove(aNode({ state: 'enroll', lastError }), { retry }))).toBe(expected);
    },
  );

  test('names an error that Ironic does not', () => {
    expect(undeployMove(aNode({ state: 'error' }), { retry: false })).toEqual({
      kind: 'fail',
      message: 'Deprovisioning failed',
    });
  });
});

describe('adopting', () => {
  test.each([
    ['manageable', false, 'adopt'],
    ['available', false, 'manage > adopt'],
    ['adopting', false, 'wait'],
    ['clean failed', false, 'manage > adopt'],
    ['inspect failed', false, 'manage > adopt'],
    ['adopt failed', false, 'fail'],
    ['adopt failed', true, 'adopt'],
    ['enroll', false, 'fail'],
    ['verifying', false, 'fail'],
    ['active', false, 'done'],
    ['deploying', false, 'done'],
  ] as const)('a node in %s, retry %s: %s', (state, retry, expected) => {
    expect(short(adoptMove(aNode({ state }), { retry }))).toBe(expected);
  });

  test('an active node ends maintenance set by a person', () => {
    expect(short(adoptMove(aNode({ state: 'active', maintenance: true }), { retry: false }))).toBe('clear maintenance');
  });
});

describe('deleting', () => {
  test.each([
    ['enroll', 'delete'],
    ['manageable', 'release'],
    ['available', 'release'],
    ['active', 'force'],
    ['deploy failed', 'force'],
    ['cleaning', 'wait'],
    ['verifying', 'wait'],
    ['inspect wait', 'go'],
    ['clean wait', 'go'],
    ['wait call-back', 'go'],
  ] as const)('a node in %s: %s', (state, expected) => {
    expect(deleteMove(aNode({ state }), true).kind).toBe(expected);
  });

  test('gives a waiting deployment up in the way that Ironic knows', () => {
    expect([true, false].map((can) => short(abortMove(aNode({ state: 'wait call-back' }), can)))).toEqual([
      'abort',
      'deleted',
    ]);
  });
});

describe('the power', () => {
  const never = { neverOff: false, cleaningDisabled: false };
  const off = { on: false, mode: 'soft', reboot: false, ...never, pending: null } as const;
  const on = { ...off, on: true } as const;
  const reboot = { ...on, reboot: true } as const;

  test.each([
    [true, off, { kind: 'set', target: 'soft power off' }],
    [true, { ...off, mode: 'hard' }, { kind: 'set', target: 'power off' }],
    [true, { ...off, neverOff: true }, { kind: 'set', target: 'soft rebooting' }],
    [true, { ...off, neverOff: true, mode: 'hard' }, { kind: 'set', target: 'rebooting' }],
    [false, { ...on, pending: 'off' }, { kind: 'later', because: 'its power is just going off' }],
    [true, { ...off, pending: 'on' }, { kind: 'later', because: 'its power is just going on' }],
    [true, { ...off, pending: 'off' }, { kind: 'wait' }],
    [true, on, { kind: 'done' }],
    [false, on, { kind: 'set', target: 'power on' }],
    [null, on, { kind: 'set', target: 'power on' }],
    [false, { ...on, pending: 'on' }, { kind: 'wait' }],
    [true, { ...on, pending: 'off' }, { kind: 'later', because: 'its power is just going off' }],
    [true, reboot, { kind: 'set', target: 'soft rebooting' }],
    [true, { ...reboot, mode: 'hard' }, { kind: 'set', target: 'rebooting' }],
    [true, { ...reboot, pending: 'on' }, { kind: 'wait' }],
  ] as const)('is %s, wished %o', (poweredOn, wish, expected) => {
    expect(powerMove(aNode({ poweredOn }), wish)).toEqual(expected);
  });

  test.each([
    [on, 'PowerOn operation failed: no BMC'],
    [off, 'Continuing with hard poweroff after soft poweroff fails. More details: no BMC'],
    [{ ...off, mode: 'hard' }, 'no BMC'],
    [{ ...on, rebootFor: [] }, 'Continuing with hard poweroff after soft poweroff fails. More details: no BMC'],
    [{ ...on, mode: 'hard', rebootFor: [] }, 'no BMC'],
  ] as const)('that does not change is told of with %o', (wish, expected) => {
    expect(powerFailure(wish, 'no BMC')).toBe(expected);
  });

  test('is not touched during cleaning', () => {
    expect(powerMove(aNode({ state: 'cleaning', poweredOn: true }), off).kind).toBe('later');
  });

  test('goes off only after an inspection has been ended', () => {
    expect(powerMove(aNode({ state: 'inspect wait', poweredOn: true }), off)).toEqual({ kind: 'abort' });
  });

  test('goes off only after a manual cleaning has been ended, and after an automated one is over', () => {
    const cleaning = aNode({ state: 'clean wait', poweredOn: true });
    expect(powerMove({ ...cleaning, targetState: 'manageable' }, off)).toEqual({ kind: 'abort' });
    expect(powerMove({ ...cleaning, targetState: 'available' }, off).kind).toBe('later');
  });

  test('goes off only after an automated cleaning that is no longer wanted was aborted', () => {
    const cleaning = aNode({ state: 'clean wait', targetState: 'available', poweredOn: true });
    const unwanted = { ...off, cleaningDisabled: true };
    expect(powerMove(cleaning, unwanted)).toEqual({ kind: 'abort' });
    expect(powerMove({ ...cleaning, state: 'cleaning' }, unwanted).kind).toBe('later');
  });
});

describe('registering', () => {
  const order = { accessChanged: false, retry: false };

  test.each([
    ['a new node', {}, order, 'verify'],
    ['a node the BMC refused', { lastError: '401' }, order, 'report'],
    ['a node the BMC refused, with a new access', { lastError: '401' }, { ...order, accessChanged: true }, 'verify'],
    ['a node the BMC refused, again', { lastError: '401' }, { ...order, retry: true }, 'verify'],
    ['a node on its way', { state: 'verifying' }, order, 'leave'],
    ['a node at rest', { state: 'active' }, order, 'configure'],
  ] as const)('%s', (_, node, options, expected) => {
    expect(registerMove(aNode({ state: 'enroll', ...node }), options)).toBe(expected);
  });
});

describe('after a step', () => {
  test.each([
    ['enroll', 'manage', 'verifying'],
    ['clean failed', 'manage', 'manageable'],
    ['manageable', 'inspect', 'inspecting'],
    ['manageable', 'adopt', 'adopting'],
    ['active', 'deleted', 'deleting'],
    ['available', 'active', 'deploying'],
    ['manageable', 'provide', 'cleaning'],
  ] as const)('%s and %s a node is %s', (state, step, expected) => {
    expect(afterStep(aNode({ state, lastError: 'old' }), step)).toEqual(aNode({ state: expected }));
  });

  test('its maintenance is over when it was cleared', () => {
    const node = aNode({ maintenance: true, fault: 'clean failure' });
    expect(afterStep(node, 'clear maintenance')).toEqual(aNode());
  });
});
