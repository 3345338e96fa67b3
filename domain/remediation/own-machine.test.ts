import { expect, test } from 'vitest';
import {
  AT,
  actionOf,
  answered,
  aSickHost,
  aSickMachine,
  inPhase,
  OUR_KEY,
  said,
  stepOf,
} from '../../test/builders/remediation.ts';

const OFF = aSickHost({ heldBy: [OUR_KEY], poweredOn: false });

test('a Machine of the Machine API has its host itself, its Node is in this cluster, and its owner replaces it', () => {
  const api = 'machine.openshift.io/v1beta1';
  const machine = aSickMachine({ api, metal3Machine: 'worker-1', cluster: '' });
  const named = { machine: { api, name: 'worker-1' }, metal3Machine: 'worker-1' };
  expect(actionOf(stepOf(inPhase('Running', { machine }))).order).toMatchObject(named);
  expect(actionOf(stepOf(inPhase('Running', { machine, host: OFF })))).toMatchObject({
    name: 'free node',
    order: { ...named, node: 'node-1' },
  });
  expect(actionOf(stepOf(inPhase('Waiting', { machine, host: OFF }))).order).toMatchObject({ api });
  expect(said(inPhase('Running', { machine, host: aSickHost({ belongs: false }) }))).toBe(
    'wait: host host-1 does not belong to Machine worker-1',
  );
  const last = answered(inPhase('Waiting', { machine }, 1), { kind: 'node', node: 'absent' }, AT + 100_000);
  const { order } = actionOf(stepOf(last, AT + 100_000));
  expect(order).toMatchObject(named);
  expect(said(inPhase('Deleting machine', { machine }))).toBe('wait: its owner replaces the Machine, if it has one');
});
