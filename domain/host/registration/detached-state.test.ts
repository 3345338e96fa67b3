import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES, type ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { live, well } from '../../../test/builders/live.ts';
import { said } from '../../../test/builders/step.ts';
import { detachmentAsked } from '../memory/detach-annotation.ts';
import { type HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import { hostConditions } from '../report/conditions.ts';

const KEY = 'baremetalhost.metal3.io/detached';
const DELETED = '2026-01-01T00:00:00Z';
const spec = { online: true, image: IMAGE };
const BUSY = ['inspecting', 'preparing', 'provisioning', 'deprovisioning', 'powering off before delete'] as const;

const detachedBy = (value: string, rest: object = {}) => ({ annotations: { [KEY]: value }, spec, ...rest });

/** A host with an image, in the given state, with the detach annotation. */
function asked(state: ProvisioningState, value: string, rest: object = {}): HostMemory {
  const runs = state === 'provisioned' || state === 'deprovisioning';
  return aHost({
    state,
    node: aNode({ state: 'active', poweredOn: true }),
    status: {
      poweredOn: true,
      lastAttemptedImage: IMAGE,
      ...(runs && { provisioning: provisionedWith() }),
    },
    seen: {
      ...detachedBy(value, rest),
      ...(state === 'externally provisioned' && { spec: { ...spec, externallyProvisioned: true } }),
    },
  });
}

const seenLater = (memory: HostMemory, change: Parameters<typeof aSnapshot>[0]): HostMemory =>
  absorb(memory, aSnapshot({ resourceVersion: '200', spec: memory.seen.spec, ...change }));

describe('the annotation that asks for a detachment', () => {
  test.each([
    ['', { deleteAction: 'delete', force: false }],
    ['moved to another cluster', { deleteAction: 'delete', force: false }],
    ['{"deleteAction":"delay"}', { deleteAction: 'delay', force: false }],
    ['{"deleteAction":"delete","force":true}', { deleteAction: 'delete', force: true }],
    ['{"deleteAction":"later","force":"yes"}', { deleteAction: 'delete', force: false }],
    ['["delay"]', { deleteAction: 'delete', force: false }],
    ['null', { deleteAction: 'delete', force: false }],
  ])('%j means %j', (value, meaning) => expect(detachmentAsked({ annotations: { [KEY]: value } })).toEqual(meaning));
  test('may be absent', () => expect(detachmentAsked({ annotations: {} })).toBeUndefined());
});

describe('a host that is to be detached', () => {
  test.each(['provisioned', 'externally provisioned', 'available', 'ready'] as const)(
    'in %s leaves Ironic, keeps its state and what is shown of it, and waits without a timer',
    (state) => {
      const { memory, tasks, end } = live(asked(state, ''));
      expect(tasks).toEqual(['detach']);
      expect(end).toBe(`detached by the annotation ${KEY}`);
      expect(memory.status).toMatchObject({
        operationalStatus: 'detached',
        poweredOn: true,
        provisioning: { state, ID: aNode().id },
      });
      expect(memory).toMatchObject({ node: null, registration: null });
    },
  );

  test.each(BUSY)('in %s is detached only by force', (state) => {
    expect(said(nextStep(asked(state, ''), NOW))).not.toBe('run detach');
    expect(said(nextStep(asked(state, '{"force":true}'), NOW))).toBe('run detach');
  });

  test('is not when it is being deleted already', () => {
    expect(said(nextStep(asked('deleting', '{"force":true}', { deletionTimestamp: DELETED }), NOW))).toBe('run delete');
  });

  test('says so in its conditions', () => {
    const { memory } = live(asked('provisioned', ''));
    const shown = hostConditions(memory);
    expect(shown.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'False', reason: 'Detached' });
    expect(shown.find(({ type }) => type === 'Progressing')).toMatchObject({ status: 'False', reason: 'Detached' });
  });

  test('and that Ironic does not delete says so and tries again', () => {
    let attempts = 0;
    const { memory, tasks, ms } = live(asked('provisioned', ''), (task) => {
      attempts += 1;
      return attempts === 1 ? { kind: 'failed', message: 'locked' } : well(task);
    });
    expect(tasks).toEqual(['detach', 'detach']);
    expect(ms).toBe(120_000);
    expect(memory.status.operationalStatus).toBe('detached');
  });

  test('is detached although it failed and waits to try again', () => {
    const before = aHost({ state: 'provisioned', status: { provisioning: provisionedWith() }, seen: { spec } });
    const step = nextStep(before, NOW);
    if (step.kind !== 'act') throw new Error('it should be adopted');
    const failed = record(before, step.action, { kind: 'failed', message: 'x' }, CHANCE);
    expect(said(nextStep(seenLater(failed, { annotations: { [KEY]: '' } }), NOW))).toBe('run detach');
  });
});

describe('a host that is attached again', () => {
  test('registers and is adopted, and nothing is deployed', () => {
    const out = live(asked('provisioned', '')).memory;
    const { memory, states, tasks, end } = live(seenLater(out, {}));
    expect(states).toEqual(['provisioned']);
    expect(tasks).toEqual(['register', 'adopt']);
    expect(end).toBe('provisioned as desired');
    expect(memory.status).toMatchObject({
      operationalStatus: 'OK',
      provisioning: { state: 'provisioned', image: IMAGE },
    });
  });
  test('has the error again with which it was left', () => {
    const out = live(asked('available', '')).memory;
    const wrong = {
      ...out,
      status: { ...out.status, errorType: 'power management error' as const, errorMessage: 'x' },
    };
    const step = nextStep(seenLater(wrong, {}), NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { status: { operationalStatus: 'error', errorMessage: 'x' } } });
  });
  test('goes on with what it was doing when it was detached by force', () => {
    const out = live(asked('inspecting', '{"force":true}')).memory;
    expect(live(seenLater(out, { spec: { online: false } })).tasks).toEqual(['register', 'inspect']);
  });
  test('before its node was out finds out what Ironic knows of it', () => {
    const host = asked('provisioned', '');
    const task = { name: 'detach', order: { host: { namespace: '', name: '', uid: '' }, nodeId: '' } } as const;
    expect(record(host, task, { kind: 'cancelled' }, CHANCE)).toMatchObject({ registration: null, node: null });
  });
});

describe('deletion of a detached host', () => {
  const states = PROVISIONING_STATES.filter((state) => state !== '' && state !== 'deleting');
  test.each(states)('that is %s wipes and powers off nothing, detached already or not', (state) => {
    const deleted = asked(state, 'moved', { deletionTimestamp: DELETED });
    for (const operationalStatus of ['OK', 'detached'] as const) {
      const host = { ...deleted, status: { ...deleted.status, operationalStatus } };
      const { tasks, ...life } = live(host);
      expect(life).toMatchObject({ states: [state, 'deleting'], end: 'gone' });
      expect(tasks.filter((task) => task !== 'delete')).toEqual(['release']);
    }
  });
  test('waits when the annotation says so, detached first if it was not', () => {
    const host = asked('provisioned', '{"deleteAction":"delay"}', { deletionTimestamp: DELETED });
    const { memory, tasks, end } = live(host);
    expect(tasks).toEqual(['detach']);
    expect(end).toBe(`deletion waits: detached by the annotation ${KEY}`);
    expect(live(seenLater(memory, { deletionTimestamp: DELETED }))).toMatchObject({
      states: ['provisioned', 'deprovisioning', 'powering off before delete', 'deleting'],
      tasks: ['register', 'deprovision', 'delete', 'release'],
      end: 'gone',
    });
  });
  test('that waits lets an operation finish first', () => {
    const host = asked('provisioning', '{"deleteAction":"delay"}', { deletionTimestamp: DELETED });
    expect(live(host)).toMatchObject({ states: ['provisioning', 'provisioned'], tasks: ['provision', 'detach'] });
  });
});
