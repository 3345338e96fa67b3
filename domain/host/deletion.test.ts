import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES, type ProvisioningState } from '../../api/baremetalhost/values.ts';
import { aHost, aNode, aSnapshot, IMAGE, NOW } from '../../test/builders/host.ts';
import { live, well } from '../../test/builders/live.ts';
import { type HostMemory } from './memory/memory.ts';
import { absorb, begin } from './memory/take-in.ts';
import type { Task } from './memory/task.ts';
import { nextStep } from './next-step.ts';
import { record } from './record.ts';
import type { HostOutcome } from './step.ts';

const DELETED = '2026-01-01T00:00:00Z';

const deletedIn = (state: ProvisioningState): HostMemory =>
  aHost({
    state,
    node: aNode({ poweredOn: true }),
    status: { provisioning: { state, ID: state === '' || state === 'unmanaged' ? '' : aNode().id, image: IMAGE } },
    seen: { deletionTimestamp: DELETED, spec: { online: true, image: IMAGE } },
  });

describe('deletion', () => {
  test.each([
    ['unmanaged', ['deleting'], ['release']],
    ['registering', ['deleting'], ['delete', 'release']],
    ['inspecting', ['powering off before delete', 'deleting'], ['power', 'delete', 'release']],
    ['preparing', ['powering off before delete', 'deleting'], ['power', 'delete', 'release']],
    ['available', ['powering off before delete', 'deleting'], ['power', 'delete', 'release']],
    [
      'provisioning',
      ['deprovisioning', 'powering off before delete', 'deleting'],
      ['deprovision', 'delete', 'release'],
    ],
    ['provisioned', ['deprovisioning', 'powering off before delete', 'deleting'], ['deprovision', 'delete', 'release']],
    ['externally provisioned', ['powering off before delete', 'deleting'], ['power', 'delete', 'release']],
    ['deprovisioning', ['powering off before delete', 'deleting'], ['deprovision', 'delete', 'release']],
    ['powering off before delete', ['deleting'], ['power', 'delete', 'release']],
    ['deleting', [], ['delete', 'release']],
  ] as const)('from %s goes by %j, doing %j', (state, states, tasks) => {
    expect(live(deletedIn(state), well)).toMatchObject({ states: [state, ...states], tasks, end: 'gone' });
  });

  test.each(['inspecting', 'preparing', 'available', 'externally provisioned', 'powering off before delete'] as const)(
    'from %s, while the server is off, asks Ironic to delete the node only if it is off',
    (state) => {
      const asked: Task[] = [];
      const { tasks, states } = live({ ...deletedIn(state), node: aNode({ poweredOn: false }) }, (task) => {
        asked.push(task);
        return well(task);
      });
      expect(tasks).toEqual(['delete', 'release']);
      expect(states.slice(-2)).toEqual(['powering off before delete', 'deleting']);
      expect(asked[0]).toMatchObject({ name: 'delete', order: { onlyIfOff: true } });
    },
  );

  test('of a host whose server was switched on without us powers it off, once, and deletes the node in any case', () => {
    const conditions: unknown[] = [];
    const { tasks, states } = live({ ...deletedIn('available'), node: aNode({ poweredOn: false }) }, (task) => {
      if (task.name !== 'delete') return well(task);
      conditions.push(task.order.onlyIfOff);
      return task.order.onlyIfOff === true ? { kind: 'done', node: aNode({ poweredOn: true }) } : { kind: 'lost' };
    });
    expect(tasks).toEqual(['delete', 'power', 'delete', 'release']);
    expect(conditions).toEqual([true, undefined]);
    expect(states).toEqual([
      'available',
      'powering off before delete',
      'deleting',
      'powering off before delete',
      'deleting',
    ]);
  });

  test('goes on in a run that begins anew, which does not know whether its server was powered off, with the condition that it is off', () => {
    const { seen, status } = deletedIn('deleting');
    const conditions: unknown[] = [];
    const { tasks } = live(begin({ ...seen, status } as never), (task) => {
      if (task.name !== 'delete') return well(task);
      conditions.push(task.order.onlyIfOff);
      return task.order.onlyIfOff === true ? { kind: 'done', node: aNode({ poweredOn: true }) } : { kind: 'lost' };
    });
    expect(tasks).toEqual(['delete', 'register', 'delete', 'power', 'delete', 'release']);
    expect(conditions).toEqual([true, true, undefined]);
  });

  test('goes on asking for a server that is off after Ironic has refused', () => {
    const conditions: unknown[] = [];
    const { tasks } = live({ ...deletedIn('available'), node: aNode({ poweredOn: false }) }, (task) => {
      if (task.name !== 'delete') return well(task);
      conditions.push(task.order.onlyIfOff);
      return conditions.length < 3 ? { kind: 'failed', message: 'no' } : { kind: 'lost' };
    });
    expect(tasks).toEqual(['delete', 'delete', 'delete', 'release']);
    expect(conditions).toEqual([true, true, true]);
  });

  test('of a server that must never be off asks nothing of its power', () => {
    const seen = { deletionTimestamp: DELETED, spec: { disablePowerOff: true } };
    const orders: Task[] = [];
    live({ ...deletedIn('available'), ...aHost({ state: 'available', seen }) }, (task) => {
      orders.push(task);
      return well(task);
    });
    expect(orders.map(({ name }) => name)).toEqual(['delete', 'release']);
    expect(orders[0]?.order).not.toHaveProperty('onlyIfOff');
  });

  test('ends from every state, whatever fails on the way, as long as Ironic deletes the node', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...PROVISIONING_STATES),
        fc.array(fc.constantFrom('fails', 'lost', 'well', 'cancelled'), { maxLength: 30 }),
        (state, fates) => {
          let turn = 0;
          const answer = (task: Task): HostOutcome => {
            const fate = fates[turn++] ?? 'well';
            if (task.name === 'release' || fate === 'well') return well(task);
            if (fate === 'lost') return { kind: 'lost' };
            if (fate === 'cancelled') return { kind: 'cancelled' };
            return { kind: 'failed', message: 'because' };
          };
          const { states, end } = live(deletedIn(state), answer);
          expect(states.at(-1)).toMatch(/^(deleting|)$/);
          expect(end).toBe('gone');
        },
      ),
    );
  });

  test('does not hang on a host that can’t be undeployed or powered off: four failures, then on', () => {
    const { states, tasks, ms } = live(deletedIn('provisioned'), (task) =>
      task.name === 'deprovision' || task.name === 'power' ? { kind: 'failed', message: 'no' } : well(task),
    );
    expect(states).toEqual(['provisioned', 'deprovisioning', 'powering off before delete', 'deleting']);
    expect(tasks.filter((task) => task === 'deprovision')).toHaveLength(4);
    expect(tasks.filter((task) => task === 'power')).toHaveLength(1);
    expect(ms / 60_000).toBe(2 + 4 + 8);
  });

  test('of a host that Ironic does not know, without credentials, takes nothing down', () => {
    const host = { ...deletedIn('provisioned'), registration: null, node: null };
    const { tasks } = live(host, (task) =>
      task.name === 'register' || task.name === 'delete' ? { kind: 'lost', isCertain: true } : well(task),
    );
    expect(tasks).toEqual(['register', 'delete', 'release']);
  });

  test('of a host whose node is missing in a list registers it again, and takes it down', () => {
    const host = { ...deletedIn('provisioned'), registration: null, node: null };
    let lists = 0;
    const { tasks } = live(host, (task) => {
      if (task.name === 'register' && lists++ === 0) return { kind: 'lost' };
      const registered = { created: false, credentialsVersion: '90' };
      return task.name === 'register' ? { kind: 'done', node: aNode(), registered } : well(task);
    });
    expect(tasks).toEqual(['register', 'register', 'deprovision', 'delete', 'release']);
  });

  test('of a host that Ironic does not know registers it and takes it down', () => {
    const host = { ...deletedIn('provisioned'), registration: null, node: null };
    const { tasks, memory } = live(host, (task) =>
      task.name === 'register'
        ? { kind: 'done', node: aNode({ id: 'anew' }), registered: { created: true, credentialsVersion: '90' } }
        : well(task),
    );
    expect(tasks).toEqual(['register', 'deprovision', 'delete', 'release']);
    expect(memory.events.map(({ reason }) => reason)).toContain('Registered');
  });

  test('that being detached has put off takes the host down once it is attached again', () => {
    const annotations = { 'baremetalhost.metal3.io/detached': '{"deleteAction":"delay"}' };
    const host = { ...deletedIn('provisioned'), registration: null, node: null };
    const detached = absorb(
      { ...host, status: { ...host.status, operationalStatus: 'detached' } },
      aSnapshot({ ...host.seen, resourceVersion: '101', annotations }),
    );
    expect(live(detached, well)).toMatchObject({ tasks: [], end: expect.stringContaining('deletion waits') as string });
    const attached = absorb(detached, aSnapshot({ ...host.seen, resourceVersion: '102', annotations: {} }));
    expect(live(attached, well).tasks).toEqual(['register', 'deprovision', 'delete', 'release']);
  });

  test.each(['powering off before delete', 'deleting'] as const)(
    'whose request was lost while the host was %s, because etcd was restored, leads to a new registration',
    (state) => {
      const { deletionTimestamp: _, ...seen } = deletedIn(state).seen;
      const provisioning = { state, ID: aNode().id, image: { url: '' } };
      const undeleted = absorb(aHost({ state, status: { provisioning } }), { ...seen, resourceVersion: '200' });
      const { states, tasks } = live(undeleted, well);
      expect(states).toEqual([
        state,
        'registering',
        'inspecting',
        'preparing',
        'available',
        'provisioning',
        'provisioned',
      ]);
      expect(tasks).toEqual(['register', 'inspect', 'provision']);
    },
  );

  test('whose request was lost leaves the image of a detached host alone', () => {
    const annotations = { 'baremetalhost.metal3.io/detached': '' };
    const detached = deletedIn('deleting');
    const { deletionTimestamp: _, ...seen } = { ...detached.seen, annotations };
    const { states, end } = live(absorb(detached, { ...seen, resourceVersion: '200' }), well);
    expect(states).toEqual(['deleting', 'provisioned']);
    expect(end).toContain('detached by the annotation');
  });

  test('of a host whose registration was given up asks Ironic for a node that may have been made', () => {
    const register = { start: '2026-01-01T00:00:00Z', end: null };
    const host = aHost({ state: 'registering', seen: { deletionTimestamp: DELETED } });
    const begun = { ...host, status: { ...host.status, operationHistory: { register } } };
    expect(live(begun, well).tasks).toEqual(['delete', 'release']);
    expect(live(host, well).tasks).toEqual(['release']);
  });

  test('of a host that was never registered leaves what was wrong in its status', () => {
    const status = { operationalStatus: 'error', errorType: 'registration error', errorMessage: 'no Secret' } as const;
    const host = aHost({ state: 'registering', status, seen: { deletionTimestamp: DELETED } });
    expect(nextStep(host, NOW)).toMatchObject({ kind: 'become', state: 'deleting', memory: { status } });
  });

  test('is noticed during a backoff', () => {
    const failed = record(
      aHost({ state: 'inspecting' }),
      taskOf(aHost({ state: 'inspecting' })),
      { kind: 'failed', message: 'x' },
      { now: NOW, dice: 0 },
    );
    const deleted = absorb(failed, aSnapshot({ resourceVersion: '200', deletionTimestamp: DELETED }));
    expect(nextStep(deleted, NOW)).toMatchObject({ kind: 'become', state: 'powering off before delete' });
  });
});

function taskOf(memory: HostMemory): Task {
  const step = nextStep(memory, NOW);
  if (step.kind !== 'run') throw new Error('it should run an operation');
  return step.operation;
}
