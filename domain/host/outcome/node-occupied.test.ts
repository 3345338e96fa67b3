import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { live, well } from '../../../test/builders/live.ts';
import { said } from '../../../test/builders/step.ts';
import { NODE_OCCUPIED, occupiedInWords } from '../../ironic/occupied.ts';
import type { HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostOutcome } from '../step.ts';
import { withNodeObserved } from './node-observed.ts';

const active = aNode({ state: 'active', poweredOn: true });
const WORDS = occupiedInWords(active);
const FOREIGN: HostOutcome = { kind: 'failed', message: WORDS, node: active };
const OURS: HostOutcome = { kind: 'done', node: active };
const seenAs = (memory: HostMemory, node: typeof active): HostMemory =>
  withNodeObserved(memory, { uid: 'uid-1', nodeId: active.id, node });
const free = (change: Parameters<typeof aHost>[0] = {}): HostMemory =>
  aHost({ state: 'available', node: aNode({ state: 'available' }), ...change });
const withSpec = (memory: HostMemory, spec: object): HostMemory =>
  absorb(memory, aSnapshot({ ...memory.seen, generation: 2, spec: { ...memory.seen.spec, ...spec } }));

/** As the host lives on when the node turns out to have something that is not ours. */
const parked = live(seenAs(free(), active), (task) => (task.name === 'examine' ? FOREIGN : well(task)));

describe('a free host whose node is seen active', () => {
  test('examines the node before anything else, also before it switches it off', () => {
    expect(said(nextStep(seenAs(free(), active), NOW))).toBe('examine');
  });

  test('undeploys what we began to deploy, and is free again', () => {
    const { states, tasks } = live(seenAs(free(), active), (task) =>
      task.name === 'examine'
        ? OURS
        : task.name === 'deprovision'
          ? { kind: 'done', node: aNode({ state: 'available' }) }
          : well(task),
    );
    expect(states).toEqual(['available', 'deprovisioning', 'available']);
    expect(tasks).toEqual(['examine', 'deprovision']);
  });

  test('is parked for a person with anything else: shown, with an Event, and nothing is done', () => {
    expect(parked).toMatchObject({ states: ['available'], tasks: ['examine'] });
    expect(parked.end).toMatch(/^waiting for a change after provisioning error: Ironic has node/);
    const { conditions = [], status, events = [] } = show(parked.memory);
    expect(conditions.find(({ type }) => type === 'AvailableForProvisioning')).toEqual({
      type: 'AvailableForProvisioning',
      status: 'False',
      reason: NODE_OCCUPIED,
      message: WORDS,
    });
    expect(status).toMatchObject({ operationalStatus: 'error', errorType: 'provisioning error', errorMessage: WORDS });
    expect(events).toContainEqual(expect.objectContaining({ reason: NODE_OCCUPIED, message: WORDS, warning: true }));
  });

  test('is examined again when a person asks for another try', () => {
    const annotations = { 'temper/retry': 'because' };
    const asked = live(absorb(parked.memory, aSnapshot({ ...parked.memory.seen, annotations })), () => FOREIGN);
    expect(asked).toMatchObject({ states: ['available'], tasks: ['examine'] });
  });

  test('is free again when its node is', () => {
    const again = seenAs(parked.memory, aNode({ state: 'available' }));
    expect(again).toMatchObject({ retry: null, status: { operationalStatus: 'OK', errorMessage: '' } });
    expect(show(again).conditions?.find(({ type }) => type === 'AvailableForProvisioning')).toMatchObject({
      status: 'True',
    });
  });

  test('is registered again when a person has deleted its node from Ironic', () => {
    const again = withNodeObserved(parked.memory, { uid: 'uid-1', nodeId: active.id, node: null });
    expect(said(nextStep(again, NOW))).toBe('note');
    expect(live(again)).toMatchObject({ tasks: ['register'], memory: { status: { operationalStatus: 'OK' } } });
  });

  test('is free again when the node turns out to be free', () => {
    const answer: HostOutcome = { kind: 'done', node: aNode({ state: 'available' }) };
    expect(live(seenAs(free(), active), () => answer)).toMatchObject({
      states: ['available'],
      memory: { status: { operationalStatus: 'OK' } },
    });
  });

  test('becomes externally provisioned when a person says so, without the error', () => {
    const { states, memory } = live(withSpec(parked.memory, { externallyProvisioned: true, online: true }), () => ({
      kind: 'done',
      node: active,
    }));
    expect(states).toEqual(['available', 'externally provisioned']);
    expect(memory.status).toMatchObject({ operationalStatus: 'OK', errorMessage: '' });
  });

  test('is not undeployed for a verdict from before it asked for an image', () => {
    const ours = record(seenAs(free(), active), { name: 'examine', order: ORDER }, OURS, CHANCE);
    const asking = withSpec(ours, { image: IMAGE });
    const step = nextStep(asking, NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { finished: null } });
  });
});

const ORDER = { host: { namespace: 'metal', name: 'node-1', uid: 'uid-1' }, nodeId: active.id };

describe('a host that is to be deployed on a node with something that is not ours', () => {
  const asking = { spec: { online: true, image: IMAGE } };
  const refused = live(free({ seen: asking }), (task) => (task.name === 'provision' ? FOREIGN : well(task)));

  test('is parked as available, and nothing is undeployed', () => {
    expect(refused.states).toEqual(['available', 'provisioning', 'available']);
    expect(refused.tasks).toEqual(['provision']);
    expect(refused.memory).toMatchObject({ retry: { kind: 'on change' }, status: { errorMessage: WORDS } });
  });

  test('undeploys nothing either when its image is withdrawn', () => {
    const { states, tasks } = live(withSpec(refused.memory, { image: undefined }), () => FOREIGN);
    expect({ states, tasks }).toEqual({ states: ['available'], tasks: ['examine'] });
  });

  test('undeploys nothing either when it is deleted', () => {
    const deleted = absorb(
      refused.memory,
      aSnapshot({ ...refused.memory.seen, deletionTimestamp: '2026-01-01T00:00:00Z' }),
    );
    expect(live(deleted).tasks).not.toContain('deprovision');
  });

  test('undeploys nothing either when its run was lost before it was parked', () => {
    const status = { errorType: 'provisioning error', errorMessage: WORDS } as const;
    const lost = aHost({ state: 'provisioning', status, seen: asking, node: active });
    expect(live(lost, (task) => (task.name === 'provision' ? FOREIGN : well(task))).tasks).not.toContain('deprovision');
  });
});

test('a host that can not be undeployed, because something else is on its node, is parked', () => {
  const { memory, tasks } = live(aHost({ state: 'deprovisioning', node: active }), () => FOREIGN);
  expect(tasks).toEqual(['deprovision']);
  expect(memory).toMatchObject({ retry: { kind: 'on change' }, status: { errorMessage: WORDS } });
});
