import { beforeEach, describe, expect, test } from 'vitest';
import type { RemediationSnapshot } from '../../domain/remediation/snapshot.ts';
import { type FollowedKind, isSameKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Entry, type Store } from '../../kube/store.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { remediationBinding as bindingOf } from './remediation.ts';

const remediationBinding = bindingOf({ hasMachineApi: true });

let stores: Store;
beforeEach(() => {
  stores = createStore();
});

interface Change {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}
const identity = (name: string) => ({ namespace: 'metal', name, uid: `${name}-uid`, resourceVersion: '7' });
function put(kind: FollowedKind, name: string, { metadata, ...rest }: Change = {}): Entry {
  const made = { creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 };
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { ...identity(name), ...made, ...metadata },
    ...rest,
  };
  const entry = { ...identity(name), object };
  stores.put(kind, entry);
  return entry;
}
const ownedBy = (name: string) => ({
  ownerReferences: [{ apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name, uid: `${name}-uid` }],
});
const STRATEGY = { type: 'Reboot', retryLimit: 1, timeoutSeconds: 600 };
const aRemediation = (name: string, change: Change = {}): Entry =>
  put(KINDS.remediation, name, {
    ...change,
    metadata: { ...ownedBy('machine-1'), ...change.metadata },
    spec: { strategy: STRATEGY },
  });

/** Everything that the remediation `one` may depend on. */
function all(): Entry {
  put(KINDS.cluster, 'test1', { spec: {} });
  put(KINDS.machine, 'machine-1', {
    metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'test1' } },
    spec: { clusterName: 'test1', infrastructureRef: { kind: 'Metal3Machine', name: 'm3m-1' } },
    status: {
      nodeRef: { name: 'node-1' },
      conditions: [
        { type: 'NodeReady', status: 'Unknown', lastTransitionTime: 't1' },
        { type: 'HealthCheckSucceeded', status: 'False', lastTransitionTime: 't2' },
        { type: 'Ready', status: 'False', lastTransitionTime: 't3' },
      ],
    },
  });
  put(KINDS.metal3Machine, 'm3m-1', {
    metadata: { ...ownedBy('machine-1'), annotations: { 'metal3.io/BareMetalHost': 'metal/host-1' } },
  });
  put(KINDS.host, 'host-1', {
    metadata: { annotations: { 'reboot.metal3.io/metal3-remediation-x': '', 'reboot.metal3.io/other': '' } },
    spec: {
      online: true,
      consumerRef: {
        apiVersion: KINDS.metal3Machine.apiVersion,
        kind: 'Metal3Machine',
        name: 'm3m-1',
        namespace: 'metal',
      },
    },
    status: { poweredOn: true, provisioning: { state: 'provisioned' } },
  });
  return aRemediation('one', { status: { phase: 'Running', lastRemediated: '2026-01-01T00:00:00Z' } });
}
const observe = (entry: Entry) =>
  remediationBinding.observe(entry, stores, { written: undefined, now: 0 }) as RemediationSnapshot;
const concerned = (kind: FollowedKind, entry: Entry): readonly string[] => [
  ...remediationBinding.concerned(kind, entry, stores),
];

describe('the snapshot of a remediation', () => {
  test('has its Machine, the host of that, and other remediations of it', () => {
    const one = all();
    aRemediation('two', { status: { phase: 'Waiting' } });
    put(KINDS.remediation, 'other', { metadata: ownedBy('machine-2') });
    expect(observe(one)).toEqual({
      ...identity('one'),
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      paused: false,
      strategy: STRATEGY,
      hasBackup: false,
      machine: {
        namespace: 'metal',
        name: 'machine-1',
        uid: 'machine-1-uid',
        deleting: false,
        healthy: false,
        metal3Machine: 'm3m-1',
        cluster: 'test1',
        node: 'node-1',
        nodeNews: 'NodeReady Unknown t1,HealthCheckSucceeded False t2',
      },
      host: {
        namespace: 'metal',
        name: 'host-1',
        uid: 'host-1-uid',
        resourceVersion: '7',
        state: 'provisioned',
        online: true,
        poweredOn: true,
        errorMessage: '',
        disablePowerOff: false,
        deleting: false,
        untouched: false,
        unhealthy: false,
        belongs: true,
        heldBy: ['reboot.metal3.io/metal3-remediation-x'],
      },
      rivals: [{ name: 'two', uid: 'two-uid', creationTimestamp: '2026-01-01T00:00:00Z', phase: 'Waiting' }],
      status: { phase: 'Running', lastRemediated: '2026-01-01T00:00:00Z' },
    });
  });

  test.each([
    [
      'its own annotation',
      (): Entry => aRemediation('one', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }),
    ],
    ['its Cluster', (): Entry => put(KINDS.cluster, 'test1', { spec: { paused: true } })],
  ])('is paused by %s', (_, pause) => {
    all();
    pause();
    expect(observe(stores.get(KINDS.remediation, 'metal/one') as Entry).paused).toBe(true);
  });

  test('is made whatever --watch-filter says, because a MachineHealthCheck sets no label for it', () => {
    const own = ownObjects(remediationBinding, stores, 'ours');
    const one = all();
    expect(own.has(one)).toBe(true);
  });

  test('has the host that it keeps off, although neither Machine nor Metal3Machine names that any more', () => {
    const one = all();
    const { object } = stores.get(KINDS.host, 'metal/host-1') as Entry;
    const annotations = { 'reboot.metal3.io/metal3-remediation-one-uid': '{"mode":"hard"}' };
    const host = put(KINDS.host, 'host-1', { ...(object as Change), metadata: { annotations } });
    const held = { name: 'host-1', belongs: false, heldBy: Object.keys(annotations) };
    stores.remove(KINDS.metal3Machine, 'metal/m3m-1');
    expect(observe(one)).toMatchObject({ machine: { metal3Machine: '' }, host: held });
    stores.remove(KINDS.machine, 'metal/machine-1');
    expect(observe(one)).toMatchObject({ machine: null, host: held });
    expect([...remediationBinding.concerned(KINDS.host, host, stores)]).toEqual(['metal/one']);
    put(KINDS.host, 'host-1', { ...(object as Change), metadata: { annotations: {} } });
    expect(observe(one).host).toBeUndefined();
  });

  test('tells what is missing', () => {
    const one = all();
    stores.remove(KINDS.host, 'metal/host-1');
    expect(observe(one).host).toBeNull();
    put(KINDS.metal3Machine, 'm3m-1', { metadata: { ...ownedBy('machine-1'), deletionTimestamp: 'now' } });
    expect(observe(one)).toMatchObject({ machine: { metal3Machine: '' } });
    stores.remove(KINDS.machine, 'metal/machine-1');
    expect(observe(one)).toMatchObject({ machine: null });
    expect(observe(put(KINDS.remediation, 'lone', { spec: {} }))).not.toHaveProperty('machine');
  });

  test.each<[string, FollowedKind, string, Change | undefined, unknown]>([
    ['no Machine among its owners', KINDS.remediation, 'one', { metadata: { ownerReferences: [] } }, undefined],
    ['a Machine that does not exist', KINDS.machine, 'machine-1', undefined, null],
    [
      'a Metal3Machine that does not exist',
      KINDS.metal3Machine,
      'm3m-1',
      undefined,
      expect.objectContaining({ metal3Machine: '' }),
    ],
    [
      'a Metal3Machine without the annotation of a host',
      KINDS.metal3Machine,
      'm3m-1',
      { metadata: { ...ownedBy('machine-1'), annotations: {} } },
      expect.objectContaining({ metal3Machine: 'm3m-1' }),
    ],
  ])('with %s has no host, and is made again when that is there', (_, kind, name, without, machine) => {
    const whole = observe(all());
    const key = `metal/${name}`;
    const missing = stores.get(kind, key) as Entry;
    if (without === undefined) stores.remove(kind, key);
    else put(kind, name, { ...(missing.object as Change), ...without });
    const seen = observe(stores.get(KINDS.remediation, 'metal/one') as Entry);
    expect([seen.machine, seen.host]).toEqual([machine, undefined]);

    stores.put(kind, missing);
    const looked = isSameKind(kind, KINDS.remediation) ? [key] : concerned(kind, missing);
    expect(looked).toEqual(['metal/one']);
    expect(observe(stores.get(KINDS.remediation, 'metal/one') as Entry)).toEqual(whole);
  });

  test('knows a healthy Machine, and that the Node of an unhealthy one has returned', () => {
    const one = all();
    const before = observe(one).machine;
    const conditions = [{ type: 'HealthCheckSucceeded', status: 'True', lastTransitionTime: 't4' }];
    put(KINDS.machine, 'machine-1', {
      spec: { clusterName: 'test1', infrastructureRef: { kind: 'Metal3Machine', name: 'm3m-1' } },
      status: { conditions },
    });
    const after = observe(one).machine;
    expect([before?.healthy, after?.healthy]).toEqual([false, true]);
    expect(after?.nodeNews).not.toBe(before?.nodeNews);
  });
});

describe('a remediation of a Machine of the Machine API', () => {
  const OWN = KINDS.openShiftMachine;
  function allOfItsOwn(status: object = {}): Entry {
    put(OWN, 'worker-0', {
      metadata: { annotations: { 'metal3.io/BareMetalHost': 'metal/host-2' } },
      status: { nodeRef: { name: 'node-2' }, ...status },
    });
    // Another Machine of the same name.
    put(KINDS.machine, 'worker-0', { spec: { clusterName: 'test1' } });
    put(KINDS.host, 'host-2', {
      spec: {
        online: true,
        consumerRef: { apiVersion: OWN.apiVersion, kind: 'Machine', name: 'worker-0', namespace: 'metal' },
      },
      status: { poweredOn: true, provisioning: { state: 'provisioned' } },
    });
    const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 't' }] };
    stores.put(KINDS.node, {
      ...identity('node-2'),
      namespace: '',
      object: { metadata: { name: 'node-2', uid: 'node-2-uid' }, status: ready },
    });
    const ownerReferences = [{ apiVersion: OWN.apiVersion, kind: 'Machine', name: 'worker-0', uid: 'worker-0-uid' }];
    put(KINDS.remediation, 'of-the-other', { metadata: ownedBy('worker-0') });
    return put(KINDS.remediation, 'own', { metadata: { ownerReferences }, spec: { strategy: STRATEGY } });
  }

  test('has its Machine, the host that this names, and news of its Node', () => {
    expect(observe(allOfItsOwn())).toMatchObject({
      paused: false,
      machine: {
        api: OWN.apiVersion,
        name: 'worker-0',
        metal3Machine: 'worker-0',
        cluster: '',
        node: 'node-2',
        nodeNews: 'node-2-uid ready',
      },
      host: { name: 'host-2', belongs: true },
      rivals: [],
    });
    stores.remove(KINDS.host, 'metal/host-2');
    expect(observe(stores.get(KINDS.remediation, 'metal/own') as Entry).host).toBeNull();
  });

  test('is paused while its Machine is moved to Cluster API', () => {
    expect(observe(allOfItsOwn({ authoritativeAPI: 'ClusterAPI' })).paused).toBe(true);
  });

  test.each([
    ['its Machine', OWN, 'metal/worker-0'],
    ['its host', KINDS.host, 'metal/host-2'],
    ['its Node', KINDS.node, '/node-2'],
  ] as const)('is concerned by a change of %s', (_, kind, key) => {
    allOfItsOwn();
    expect(concerned(kind, stores.get(kind, key) as Entry)).toEqual(['metal/own']);
  });
});

describe('a change', () => {
  test.each([
    ['of its Machine', KINDS.machine, 'machine-1'],
    ['of its Metal3Machine', KINDS.metal3Machine, 'm3m-1'],
    ['of its host', KINDS.host, 'host-1'],
    ['of its Cluster', KINDS.cluster, 'test1'],
  ] as const)('%s concerns a remediation', (_, kind, name) => {
    all();
    put(KINDS.remediation, 'other', { metadata: ownedBy('machine-2') });
    expect(concerned(kind, stores.get(kind, `metal/${name}`) as Entry)).toEqual(['metal/one']);
  });

  test('of a remediation concerns the others of its Machine', () => {
    const one = all();
    aRemediation('two');
    expect(concerned(KINDS.remediation, one)).toContain('metal/two');
  });
});

describe('a view of a run that a new bridge does not know', () => {
  const shown = (status: object) =>
    ({ shown: { status } }) as Parameters<NonNullable<typeof remediationBinding.isOutdated>>[0];
  const object = (status: object) => ({ metadata: identity('one'), status });
  const [first, second] = ['2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z'];
  test.each([
    ['the same', { phase: 'Running', lastRemediated: first }, { phase: 'Running', lastRemediated: first }, false],
    [
      'an earlier phase',
      { phase: 'Running', lastRemediated: first },
      { phase: 'Waiting', lastRemediated: first },
      true,
    ],
    ['a later phase', { phase: 'Waiting', lastRemediated: first }, { phase: 'Running', lastRemediated: first }, false],
    [
      'an earlier attempt',
      { phase: 'Waiting', lastRemediated: first },
      { phase: 'Running', lastRemediated: second },
      true,
    ],
    [
      'a later attempt',
      { phase: 'Running', lastRemediated: second },
      { phase: 'Waiting', lastRemediated: first },
      false,
    ],
    [
      'an attempt while the object has one of next year, by a clock that was ahead',
      { phase: 'Waiting', lastRemediated: first },
      { phase: 'Running', lastRemediated: '2027-01-01T00:00:00Z' },
      false,
    ],
    ['an attempt where none was shown', { phase: 'Running', lastRemediated: first }, {}, false],
  ])('that shows %s is judged by the object', (_, view, status, outdated) => {
    expect(remediationBinding.isOutdated?.(shown(view), object(status), Date.parse(second))).toBe(outdated);
  });
});
