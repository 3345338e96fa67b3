import { beforeEach, describe, expect, test } from 'vitest';
import type { EntityView } from '../../../domain/entity/view.ts';
import { MACHINE_API_SHAPE, type MachineApiSnapshot } from '../../../domain/machine-api/snapshot.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { createStore, type Entry, type Store } from '../../../kube/store.ts';
import { type ObjectParts, putIn } from '../../../test/builders/stored-objects.ts';
import { machineApiBinding } from './machine.ts';

const IMAGE = { url: 'http://images/a', checksum: 'http://images/a.md5sum' };
const NEWS = { bridge: 'b', count: 0 };
const OPTIONS = { settings: { isController: true, fastTrack: false }, defaults: {}, newsOf: () => NEWS };
const binding = machineApiBinding(KINDS.openShiftMachine, OPTIONS);
const beside = machineApiBinding(KINDS.openShiftMachine, {
  ...OPTIONS,
  settings: { isController: false, fastTrack: false },
});

let stores: Store;
beforeEach(() => {
  stores = createStore();
});

const put = (kind: FollowedKind, name: string, parts?: ObjectParts): Entry => putIn(stores, kind, name, parts);
const aMachine = ({ metadata, spec, status = {} }: ObjectParts = {}): Entry =>
  put(KINDS.openShiftMachine, 'worker-0', {
    metadata: { finalizers: ['machine.machine.openshift.io'], ...metadata },
    spec: { providerSpec: { value: { image: IMAGE } }, ...spec },
    status,
  });
const aHost = (name: string, consumer?: string): Entry =>
  put(KINDS.host, name, {
    spec: {
      ...(consumer && {
        consumerRef: {
          apiVersion: 'machine.openshift.io/v1beta1',
          kind: 'Machine',
          name: consumer,
          namespace: 'metal',
        },
      }),
    },
    status: {
      provisioning: { state: 'provisioned' },
      hardware: { hostname: `${name}.example`, nics: [{ ip: `10.0.0.${name.at(-1) ?? ''}` }, { ip: '' }] },
    },
  });
const aNode = (name: string, ip: string, spec: object = {}, metadata: object = {}): Entry =>
  put(KINDS.node, name, {
    metadata,
    spec,
    status: {
      addresses: [
        { type: 'InternalIP', address: ip },
        { type: 'Hostname', address: name },
      ],
    },
  });
const observe = (entry: Entry, by = binding): MachineApiSnapshot =>
  by.observe(entry, stores, { written: undefined, now: 0 }) as MachineApiSnapshot;
const concerned = (kind: FollowedKind, entry: Entry): readonly string[] => [
  ...new Set(binding.concerned(kind, entry, stores)),
];

describe('the snapshot of a Machine', () => {
  test('has what it asks for', () => {
    expect(observe(aMachine())).toEqual({
      namespace: 'metal',
      name: 'worker-0',
      uid: 'worker-0-uid',
      resourceVersion: '7',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      api: 'machine.openshift.io/v1beta1',
      settings: OPTIONS.settings,
      isAdopted: true,
      hasFinalizer: true,
      desired: { image: IMAGE },
      providerID: '',
      link: '',
      hostNews: NEWS,
      hooks: [],
      isDrained: true,
    });
  });

  test('has the annotation that asks for a retry', () => {
    expect(observe(aMachine({ metadata: { annotations: { 'temper/retry': 'again' } } })).retry).toBe('again');
  });

  test('is accepted by its run, whatever the length of an annotation', () => {
    const long = 'x'.repeat(70_000);
    const seen = (retry: string): MachineApiSnapshot => {
      const annotations = {
        'temper/retry': retry,
        'metal3.io/BareMetalHost': `metal/${long}`,
        'remediation.metal3.io/power-on-will-timeout-at': long,
      };
      return observe(aMachine({ metadata: { annotations } }));
    };
    expect(MACHINE_API_SHAPE(seen(long), 'the snapshot')).toBeUndefined();
    expect(seen(`${long}1`).retry).not.toBe(seen(`${long}2`).retry);
    expect(seen(`${long}1`)).toEqual(seen(`${long}1`));
  });

  test.each(['', 'baremetalhost:///metal/', 'baremetalhost:///metal/node-0/uid/'])(
    'is accepted by its run, whatever the length of its providerID: %s…',
    (start) => {
      const seen = observe(aMachine({ spec: { providerID: `${start}${'x'.repeat(70_000)}` } }));
      expect(MACHINE_API_SHAPE(seen, 'the snapshot')).toBeUndefined();
      expect(seen.linkProblem ?? seen.link).toContain('xxx');
    },
  );

  test('is accepted by its run, whatever the length of what its Node, its status and its hooks say', () => {
    const long = `baremetalhost:///metal/${'x'.repeat(70_000)}`;
    aHost('host-1', 'worker-0');
    aNode('node-1', '10.0.0.1', { providerID: long }, { annotations: { 'machine.openshift.io/machine': long } });
    const hooks = { preDrain: [{ name: long, owner: 'me' }] };
    const machine = aMachine({ spec: { providerID: long, lifecycleHooks: hooks } });
    expect(observe(machine)).toMatchObject({ host: { name: 'host-1' }, node: { name: 'node-1' } });
    expect(MACHINE_API_SHAPE(observe(machine), 'the snapshot')).toBeUndefined();
    const named = aMachine({ spec: { providerID: long }, status: { nodeRef: { name: long } } });
    expect(MACHINE_API_SHAPE(observe(named), 'the snapshot')).toBeUndefined();
  });

  test('has no secret of the URL of its image', () => {
    const image = { ...IMAGE, url: 'http://images/a?sig=canary' };
    expect(JSON.stringify(observe(aMachine({ spec: { providerSpec: { value: { image } } } })))).not.toContain('canary');
  });

  const annotated = (host: string) => ({ metadata: { annotations: { 'metal3.io/BareMetalHost': host } } });
  test.each([
    ['the host of its providerID', { spec: { providerID: 'baremetalhost:///metal/host-1/host-1-uid' } }, 'host-1'],
    ['that of an older providerID', { spec: { providerID: 'baremetalhost:///metal/host-1' } }, 'host-1'],
    ['no host that was replaced', { spec: { providerID: 'baremetalhost:///metal/host-1/other-uid' } }, undefined],
    ['no host of another namespace', { spec: { providerID: 'baremetalhost:///x/host-1/host-1-uid' } }, undefined],
    ['the host of its annotation', annotated('metal/host-1'), 'host-1'],
    ['the host whose consumer it is when it names none', {}, 'host-2'],
    ['that host when the named one is gone', annotated('metal/host-9'), 'host-2'],
    [
      'the providerID before the annotation',
      { ...annotated('metal/host-2'), spec: { providerID: 'baremetalhost:///metal/host-1/host-1-uid' } },
      'host-1',
    ],
  ])('has %s', (_, change, host) => {
    aHost('host-1');
    aHost('host-2', 'worker-0');
    put(KINDS.host, 'host-3', { spec: { consumerRef: { apiVersion: 'v1', kind: 'Machine', name: 'worker-0' } } });
    expect(observe(aMachine(change)).host?.name).toBe(host);
  });

  test('has no host where its providerID is of another platform, and says why', () => {
    aHost('host-2', 'worker-0');
    const seen = observe(aMachine({ spec: { providerID: 'aws:///x' } }));
    expect([seen.host, seen.linkProblem]).toEqual([undefined, 'ProviderID value aws:///x is not a baremetalhost']);
  });

  const OWN_ID = 'baremetalhost:///metal/host-1/host-1-uid';
  test.each([
    ['by the address of its host', () => aNode('a', '10.0.0.1'), {}, 'a'],
    ['by the name of its host', () => aNode('host-1.example', '10.9.9.9'), {}, 'host-1.example'],
    ['by its providerID', () => aNode('b', '10.9.9.9', { providerID: OWN_ID }), {}, 'b'],
    [
      'not by an address, when it has another providerID',
      () => aNode('c', '10.0.0.1', { providerID: 'x://1' }),
      {},
      undefined,
    ],
    ['by the name in its status, whoever wrote that', () => aNode('d', '10.9.9.9'), { nodeRef: { name: 'd' } }, 'd'],
    [
      'not by the name in its status, when that runs on another host',
      () => aNode('f', '10.0.0.1', { providerID: 'baremetalhost:///metal/host-2/x' }),
      { nodeRef: { name: 'f' } },
      undefined,
    ],
    ['not by an address that no other host has', () => aNode('e', '10.9.9.9'), {}, undefined],
  ])('has its Node %s', (_, node, status, name) => {
    aHost('host-1', 'worker-0');
    const entry = node();
    const machine = aMachine({ ...annotated('metal/host-1'), status });
    expect(observe(machine).node?.name).toBe(name);
    expect(concerned(KINDS.node, entry)).toEqual(name === undefined && entry.name === 'e' ? [] : ['metal/worker-0']);
  });

  test('has what the link needs of its Node', () => {
    aHost('host-1', 'worker-0');
    const annotations = { 'machine.openshift.io/machine': 'metal/worker-0' };
    aNode('a', '10.0.0.1', {}, { annotations, finalizers: ['metal3.io/capbm'] });
    const node = { name: 'a', uid: 'a-uid', providerID: '', machine: 'metal/worker-0', hasLegacyFinalizer: true };
    const machine = aMachine(annotated('metal/host-1'));
    expect(observe(machine).node).toEqual({ ...node, lacks: false });
    const asked = { metadata: { labels: { rack: '7' } }, taints: [{ key: 'infra', effect: 'NoSchedule' }] };
    expect(observe(aMachine({ ...annotated('metal/host-1'), spec: asked })).node).toEqual({ ...node, lacks: true });
    // OpenShift's own controller writes labels and taints.
    expect(beside.observe(machine, stores, { written: undefined, now: 0 })).toMatchObject({ node });
    expect(beside.observe(machine, stores, { written: undefined, now: 0 })).not.toHaveProperty('node.lacks');
  });

  test('has the API that is in charge of it', () => {
    const spec = { authoritativeAPI: 'ClusterAPI' };
    expect(observe(aMachine({ spec })).authority).toEqual({ api: 'ClusterAPI', isUnsaid: true });
    expect(observe(aMachine({ spec, status: { authoritativeAPI: 'Migrating' } })).authority).toEqual({
      api: 'Migrating',
    });
    expect(observe(aMachine())).not.toHaveProperty('authority');
  });

  test('asks for a remediation by its annotation, but not in the API of 2019', () => {
    const metadata = { annotations: { 'host.metal3.io/external-remediation': '' } };
    expect(observe(aMachine({ metadata })).remediation).toMatchObject({ isRequested: true });
    const older = put(KINDS.clusterMachine, 'worker-0', { metadata });
    const seen = machineApiBinding(KINDS.clusterMachine, OPTIONS).observe(older, stores, {
      written: undefined,
      now: 0,
    });
    expect(seen).not.toHaveProperty('remediation');
  });

  test('has what delays its deletion', () => {
    const lifecycleHooks = { preDrain: [{ name: 'a', owner: 'x' }], preTerminate: [{ name: 'b', owner: 'x' }] };
    const conditions = [{ type: 'Drained', status: 'False', lastTransitionTime: 't' }];
    const seen = observe(aMachine({ spec: { lifecycleHooks }, status: { conditions } }));
    expect([seen.hooks, seen.isDrained]).toEqual([['a', 'b'], false]);
  });

  test.each([
    ['is missing: the machine controller has not drained it yet', [], false],
    ['is False: draining has failed', [{ type: 'Drained', status: 'False', lastTransitionTime: 't' }], false],
    ['is True', [{ type: 'Drained', status: 'True', lastTransitionTime: 't' }], true],
  ])('beside the machine controller, whose condition Drained %s', (_, conditions, isDrained) => {
    expect(observe(aMachine({ status: { conditions } }), beside).isDrained).toBe(isDrained);
  });

  test.each([
    ['the machine controller, which has let the Machine go already', beside, { metadata: { finalizers: [] } }],
    ['nobody, where Temper is the machine controller', binding, {}],
  ])('is drained by %s', (_, by, parts) => {
    expect(observe(aMachine(parts), by).isDrained).toBe(true);
  });

  test('of 2019 has no machine controller that says whether it drains', () => {
    const besideOf2019 = machineApiBinding(KINDS.clusterMachine, {
      ...OPTIONS,
      settings: { isController: false, fastTrack: false },
    });
    const metadata = { finalizers: ['machine.cluster.k8s.io'] };
    expect(observe(put(KINDS.clusterMachine, 'worker-0', { metadata }), besideOf2019).isDrained).toBe(true);
  });
});

describe('a change of a host', () => {
  test('concerns the Machine that is its consumer, and the one that names it', () => {
    const host = aHost('host-1', 'worker-1');
    aMachine({ spec: { providerID: 'baremetalhost:///metal/host-1/host-1-uid' } });
    expect(concerned(KINDS.host, host)).toEqual(['metal/worker-1', 'metal/worker-0']);
  });
});

describe('the status of a Machine', () => {
  const STATUS = {
    phase: 'Provisioning',
    nodeRef: { name: 'a' },
    addresses: [{ type: 'InternalIP', address: '1.2.3.4' }],
    errorReason: 'InvalidConfiguration',
    errorMessage: 'x',
    lastUpdated: 't',
    conditions: [],
    lastOperation: { type: 'Update' },
  };
  const written = async (one: typeof binding, status: object, shown: object | undefined): Promise<unknown> => {
    const object = readObject({ metadata: { name: 'worker-0' }, status });
    const view = { shown: { finalizer: shown !== undefined, status: shown } } as unknown as EntityView;
    return (await one.complete?.({ view, object, written: undefined, kube: {} as never, stores }))?.status;
  };

  test('keeps what others write', async () => {
    expect(await written(binding, STATUS, { phase: 'Running' })).toEqual({
      phase: 'Running',
      lastOperation: { type: 'Update' },
    });
  });

  test('is kept while another API is in charge, whose controllers write it', async () => {
    const moved = { ...STATUS, authoritativeAPI: 'Migrating' };
    const view = { shown: { conditions: [] } } as unknown as EntityView;
    const object = readObject({ metadata: { name: 'worker-0' }, status: moved });
    expect(await binding.complete?.({ view, object, written: undefined, kube: {} as never, stores })).toMatchObject({
      status: moved,
      isBlank: false,
    });
  });

  test('keeps the authoritative API that somebody else has written meanwhile', async () => {
    const moved = { ...STATUS, authoritativeAPI: 'Migrating' };
    expect(await written(binding, moved, { authoritativeAPI: 'MachineAPI' })).toMatchObject({
      authoritativeAPI: 'Migrating',
    });
    expect(await written(binding, STATUS, { authoritativeAPI: 'MachineAPI' })).toMatchObject({
      authoritativeAPI: 'MachineAPI',
    });
  });

  test('is left alone before there is anything to show', async () => {
    expect(await written(beside, STATUS, undefined)).toEqual(STATUS);
  });

  test.each([
    ['an error of its own', 'InvalidConfiguration', undefined],
    ['that there were no hosts', 'InsufficientResources', undefined],
    ['an error of others', 'CreateError', 'CreateError'],
  ])(
    'beside the machine controller keeps its phase and Node, and of %s what is not its own',
    async (_, reason, kept) => {
      const status = await written(beside, { ...STATUS, errorReason: reason }, {});
      expect(status).toMatchObject({ phase: 'Provisioning', nodeRef: { name: 'a' } });
      expect((status as { errorReason?: string }).errorReason).toBe(kept);
      expect(status).not.toHaveProperty('addresses');
    },
  );
});

test('beside the machine controller a Machine is held by a finalizer of its own', () => {
  expect([binding.finalizer, beside.finalizer]).toEqual(['machine.machine.openshift.io', 'actuator.temper.metal3.io']);
  const seen = beside.observe(aMachine(), stores, { written: undefined, now: 0 });
  expect(seen).toMatchObject({ isAdopted: true, hasFinalizer: false });
});
