import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { aNode } from '../../../test/builders/host.ts';
import { BUSY_NODE_STATES, type NodeState, RESTING_NODE_STATES } from '../node/node.ts';
import { abortMove } from './abort.ts';
import { adoptMove } from './adopt.ts';
import { deleteMove } from './delete.ts';
import { deployMove } from './deploy.ts';
import { inspectMove } from './inspect.ts';
import type { Move, NodeStep } from './move.ts';
import { powerMove } from './power.ts';
import { prepareMove } from './prepare.ts';
import { provideMove } from './provide.ts';
import { registerMove } from './register.ts';
import { undeployMove } from './undeploy.ts';

/**
 * The states and events of Ironic's state machine, recorded in the Python environment of the lab from `machine` in
 * `ironic.common.state_machine`: each state, whether it is stable, and the state to which each event leads.
 */
const { states } = JSON.parse(readFileSync(new URL('../node/recorded-states.json', import.meta.url), 'utf8')) as {
  readonly states: Readonly<Record<string, { readonly events: Readonly<Record<string, string>> }>>;
};

/** The event of a request to Ironic. */
const EVENTS: Partial<Record<NodeStep, string>> = { active: 'deploy', deleted: 'delete' };

const asksFor = (step: NodeStep): Move => ({ kind: 'go', steps: [step] });
const asksForNothing: Move = { kind: 'done' };

const OFF = { on: false, mode: 'hard', reboot: false, neverOff: false, cleaningDisabled: true, pending: null } as const;

const MOVES: readonly [string, (state: NodeState, retry: boolean) => Move][] = [
  ['deploy', (state, retry) => deployMove(aNode({ state }), { isSame: false, retry, ownFailure: false })],
  ['undeploy', (state, retry) => undeployMove(aNode({ state }), { retry })],
  ['provide', (state, retry) => provideMove(aNode({ state }), { retry })],
  ['inspect', (state, retry) => inspectMove(aNode({ state }), { retry, satisfied: false })],
  ['prepare', (state, retry) => prepareMove(aNode({ state }), { retry, hasSteps: true })],
  ['adopt', (state, retry) => adoptMove(aNode({ state }), { retry })],
  ['abort', (state) => abortMove(aNode({ state }), true)],
  [
    'delete',
    (state) => {
      const move = deleteMove(aNode({ state }), true);
      return move.kind === 'go' || move.kind === 'wait' ? move : asksForNothing;
    },
  ],
  [
    'power',
    (state) => (powerMove(aNode({ state, poweredOn: true }), OFF).kind === 'abort' ? asksFor('abort') : asksForNothing),
  ],
  [
    'register',
    (state, retry) =>
      registerMove(aNode({ state }), { accessChanged: false, retry }) === 'verify' ? asksFor('manage') : asksForNothing,
  ],
];

/** `media`: a virtual drive has no provision state. */
const WITHOUT_STATES = ['media'];

test('each kind of move is tried in every state, by a table with a row for each', () => {
  const sources = globSync('*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'));
  const kinds = sources.flatMap((file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    const [, kind] = /^export (?:const|function) (\w+)Move\b/m.exec(text) ?? [];
    return kind === undefined || WITHOUT_STATES.includes(kind) ? [] : [{ kind, text }];
  });
  expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(MOVES.map(([kind]) => kind).toSorted());
  const without = kinds.filter(
    ({ text }) => !/: (?:MoveTable<|Readonly<Record<KnownState, )|Move = movesTo</.test(text),
  );
  expect(without.map(({ kind }) => kind)).toEqual([]);
});

test('a registration leaves a node alone exactly in the states that Ironic leaves by itself', () => {
  const order = { accessChanged: true, retry: true };
  const left = Object.keys(states).filter((state) => registerMove(aNode({ state }), order) === 'leave');
  expect(left.toSorted()).toEqual([...BUSY_NODE_STATES].toSorted());
});

test('the states that we know are those of Ironic', () => {
  expect([...BUSY_NODE_STATES, ...RESTING_NODE_STATES].toSorted()).toEqual(Object.keys(states).toSorted());
});

test('a state that Ironic leaves by itself is never one that waits for a request, and the other way round', () => {
  const unstable = Object.keys(states).filter(
    (state) => !state.endsWith('failed') && !state.endsWith('hold') && /ing$|wait/.test(state),
  );
  expect([...BUSY_NODE_STATES].toSorted()).toEqual(unstable.toSorted());
});

describe.each(MOVES)('to %s a node', (_, decide) => {
  const first = [...BUSY_NODE_STATES, ...RESTING_NODE_STATES].flatMap((state) =>
    [false, true].flatMap((retry): [NodeState, boolean, NodeStep][] => {
      const move = decide(state, retry);
      const [step] = move.kind === 'go' ? move.steps : [];
      return step === undefined || step === 'clear maintenance' ? [] : [[state, retry, step]];
    }),
  );

  test.each(first)('in state %s (retry: %s) is the request %s, which Ironic takes there', (state, __, step) => {
    expect(Object.keys(states[state]?.events ?? {})).toContain(EVENTS[step] ?? step);
  });

  test('in a state of a later Ironic asks for nothing', () => {
    expect(decide('defragmenting', true).kind).not.toBe('go');
  });
});

test('what can be aborted is what Ironic can abort', () => {
  const abortable = Object.keys(states).filter((state) => 'abort' in (states[state]?.events ?? {}));
  const ours = Object.keys(states).filter((state) => abortMove(aNode({ state }), true).kind === 'go');
  // A failed service has ended: an abort would only make its node `active` again.
  expect(ours.toSorted()).toEqual(abortable.filter((state) => state !== 'service failed').toSorted());
});

describe('a node in rescue', () => {
  test.each(['rescue', 'rescue wait'])('is undeployed when nobody asks for its image: %s', (state) => {
    expect(undeployMove(aNode({ state }), { retry: false })).toEqual({ kind: 'go', steps: ['deleted'] });
  });

  test.each(['rescue', 'rescue wait'])('is not undeployed, and no success, when its image is to stay: %s', (state) => {
    expect(undeployMove(aNode({ state }), { retry: false, isAskedForAgain: true })).toMatchObject({
      kind: 'fail',
      message: expect.stringContaining('end its rescue first') as string,
    });
  });
});
