import { describe, expect, test } from 'vitest';
import { PROVISIONING_STATES, type ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { aHost, aNode, aSnapshot, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { live, well } from '../../../test/builders/live.ts';
import { next, said } from '../../../test/builders/step.ts';
import { observedNext, withKnown } from '../../entity/state.ts';
import { hostEntity } from '../entity.ts';
import { type HostMemory } from '../memory/memory.ts';
import type { HostSnapshot } from '../memory/snapshot.ts';
import { absorb } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import type { HostOutcome } from '../step.ts';

describe('a provisioned host', () => {
  const status = { provisioning: provisionedWith() };
  test('with the image it is asked for waits', () => {
    const node = aNode({ state: 'active', poweredOn: true });
    expect(next({ state: 'provisioned', status, node, seen: { spec: { online: true, image: IMAGE } } })).toBe('wait');
  });
  test.each([
    ['another image is asked for', { online: true, image: { ...IMAGE, url: 'http://images/b.raw' } }],
    ['no image is asked for', { online: true }],
  ])('is deprovisioned when %s', (_, spec) => {
    expect(next({ state: 'provisioned', status, seen: { spec } })).toBe('become deprovisioning');
  });
  test('with a custom deployment stays until its method changes', () => {
    const custom = { provisioning: { ...provisionedWith(''), customDeploy: { method: 'install' } } };
    const node = aNode({ state: 'active' });
    const asked = (method: string) => ({ spec: { customDeploy: { method } } });
    expect(next({ state: 'provisioned', status: custom, node, seen: asked('install') })).toBe('wait');
    expect(next({ state: 'provisioned', status: custom, node, seen: asked('other') })).toBe('become deprovisioning');
    expect(next({ state: 'provisioned', status: custom, node })).toBe('become deprovisioning');
  });
  test('stays when only the checksum changes, or when it is to be offline', () => {
    const spec = { online: false, image: { ...IMAGE, checksum: 'abc' } };
    expect(next({ state: 'provisioned', status, node: aNode({ state: 'active' }), seen: { spec } })).toBe('wait');
  });
  test('is not provisioned again for other user data, metadata or network data', () => {
    const node = aNode({ state: 'active', poweredOn: true });
    const spec = { online: true, image: IMAGE };
    const before = aHost({ state: 'provisioned', status, node, seen: { spec } });
    const secrets = { userData: { name: 'u' }, metaData: { name: 'm' }, networkData: { name: 'n' } };
    const changed = aSnapshot({ resourceVersion: '101', generation: 2, spec: { ...spec, ...secrets } });
    expect(said(nextStep(absorb(before, changed), NOW))).toBe('wait');
  });
  test('whose adoption failed is adopted again, whatever else went wrong since', () => {
    const node = aNode({ state: 'adopt failed' });
    const spec = { online: true, image: IMAGE };
    const step = nextStep(aHost({ state: 'provisioned', status, node, seen: { spec } }), NOW);
    expect(step).toMatchObject({ kind: 'act', action: { name: 'adopt', order: { retry: true } } });
  });
  test('whose node had to be created again is adopted', () => {
    const spec = { online: true, image: IMAGE };
    const step = nextStep(aHost({ state: 'provisioned', status, node: aNode(), seen: { spec } }), NOW);
    expect(step).toMatchObject({ action: { name: 'adopt', order: { image: IMAGE, retry: false } } });
  });
  test('is powered off softly when it is to be offline, and hard after a failure', () => {
    const host = {
      state: 'provisioned',
      node: aNode({ state: 'active', poweredOn: true }),
      seen: { spec: { image: IMAGE } },
    } as const;
    expect(nextStep(aHost({ ...host, status }), NOW)).toMatchObject({ action: { order: { on: false, mode: 'soft' } } });
    const failedOnce = { ...status, errorCount: 1, errorType: 'power management error' as const };
    expect(nextStep(aHost({ ...host, status: failedOnce }), NOW)).toMatchObject({
      action: { order: { on: false, mode: 'hard', force: true } },
    });
  });
});

describe('a run that begins anew from a host whose status says that it runs something', () => {
  const ORDERS = [
    { epoch: 1, number: 1 },
    { epoch: 1, number: 2 },
  ] as const;
  /** The memory after a snapshot that is marked anew, for a run that remembered another state. */
  const begunAnew = (before: HostMemory, snapshot: HostSnapshot): HostMemory => {
    const [first, second] = ORDERS;
    const state = withKnown(
      undefined,
      { seen: before.seen, order: first, begun: first, memory: before },
      hostEntity,
      NOW,
    );
    const known = observedNext(state, { snapshot, order: second, anew: true, reset: 'run-2' }, hostEntity, NOW);
    if (known === undefined) throw new Error('the snapshot was ignored');
    return known.memory;
  };
  const remembered = (state: ProvisioningState): HostMemory =>
    aHost({
      state,
      status: { errorType: 'inspection error', errorMessage: 'no', errorCount: 2, provisioningFailCount: 1 },
      retry: { kind: 'at', at: NOW - 1 },
      finished: { name: 'deprovision' },
      attempted: { url: 'http://images/other.raw' },
      refreshInspection: true,
      consumedAnnotations: ['inspect.metal3.io'],
    });
  const active = (task: Task): HostOutcome => {
    const outcome = well(task);
    return task.name === 'register' && outcome.kind === 'done'
      ? { ...outcome, node: aNode({ state: 'active', poweredOn: true }) }
      : outcome;
  };

  describe.each([
    ['provisioned', { online: true, image: IMAGE }],
    ['externally provisioned', { online: true, externallyProvisioned: true }],
  ] as const)('%s', (state, spec) => {
    const { status } = aHost({ state, status: { poweredOn: true, provisioning: { ...provisionedWith(), state } } });
    const snapshot = aSnapshot({ spec, status });

    test.each(PROVISIONING_STATES)(
      'adopts a node that Ironic had to create again, whatever it remembers: %s',
      (before) => {
        const { states, tasks } = live(begunAnew(remembered(before), snapshot));
        expect({ states, tasks }).toEqual({ states: [state], tasks: ['register', 'adopt'] });
      },
    );
    test.each(PROVISIONING_STATES)('leaves a node that runs alone, whatever it remembers: %s', (before) => {
      const { states, tasks } = live(begunAnew(remembered(before), snapshot), active);
      expect({ states, tasks }).toEqual({ states: [state], tasks: ['register'] });
    });
  });
});

describe('an externally provisioned host', () => {
  test('is adopted, then only its power is managed', () => {
    const seen = { spec: { online: true, externallyProvisioned: true } };
    expect(next({ state: 'externally provisioned', seen })).toBe('adopt');
    const node = aNode({ state: 'active', poweredOn: true });
    expect(next({ state: 'externally provisioned', seen, node })).toBe('wait');
  });
  test('that is no longer marked so counts as provisioned with the image of its spec', () => {
    const step = nextStep(
      aHost({ state: 'externally provisioned', seen: { spec: { online: true, image: IMAGE } } }),
      NOW,
    );
    expect(step).toMatchObject({
      kind: 'become',
      state: 'provisioned',
      memory: { status: { provisioning: { image: IMAGE } } },
    });
  });
});
