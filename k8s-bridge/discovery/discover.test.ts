import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createDiscoveredNodes } from '../../activities/ironic/discovery/discovered-nodes.ts';
import { KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { hostCollection } from '../../kube/paths.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { discoverySettings, NOON } from '../../test/builders/discovery.ts';
import { aNodeState } from '../../test/builders/node.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createAnnounce } from '../publish/announce.ts';
import { createDiscover } from './discover.ts';

const never = new AbortController().signal;
const MAC = '52:54:00:00:00:01';
const HOST = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/discovered-525400000001';
const HARDWARE = '/apis/metal3.io/v1alpha1/namespaces/metal/hardwaredata/discovered-525400000001';
const log = { info: () => undefined, warn: () => undefined } as unknown as Parameters<typeof createDiscover>[0]['log'];

const LISTED = aNodeState({ provision_state: 'enroll', reservation: null });

/** An Ironic with nodes that it has enrolled by itself, by their MAC address. */
function ironicWith(macs: Readonly<Record<string, string>>) {
  const nodes = new Map(Object.entries(macs));
  return {
    nodes,
    list: () => [...nodes.keys()].map((uuid) => ({ ...LISTED, uuid })),
    client: {
      createdAt: async () => NOON,
      newestError: async () => undefined,
      inventory: async (id: string) => ({
        inventory: { interfaces: [{ name: 'eth0', mac_address: nodes.get(id) ?? '' }] },
        plugins: { auto_discovered: true },
      }),
      portsOfNode: async (id: string) => [{ address: nodes.get(id) ?? '', nodeId: id }],
      portsByAddress: async () => [],
      getNode: async (uuid: string) =>
        nodes.has(uuid) ? ({ uuid, name: null, provision_state: 'enroll', reservation: null } as never) : undefined,
      deleteNode: async (id: string) => void nodes.delete(id),
    },
  };
}

/** A Temporal in which the workflows of hosts have ended at these times, by the names of the hosts. */
const temporalWith = (ended: Readonly<Record<string, number>>) =>
  ({
    connection: { withDeadline: (_: number, call: () => unknown) => call() },
    workflow: {
      getHandle: (id: string) => ({
        describe: async () => {
          const at = ended[id.split('/').at(-1) ?? ''];
          if (at === undefined) throw new WorkflowNotFoundError('no such workflow', id, undefined);
          return { status: { name: 'COMPLETED' }, raw: {}, runId: 'r', closeTime: new Date(at), taskQueue: 'q' };
        },
      }),
    },
  }) as unknown as Client;

/** What the bridge's watch shows. */
function cacheOf(objects: ObjectsInMemory): Store {
  const store = createStore();
  for (const object of objects.all().values()) {
    const kind = object.kind === 'BareMetalHost' ? KINDS.host : KINDS.hardwareData;
    const { namespace, name, uid, resourceVersion } = object.metadata;
    store.put(kind, { namespace, name, uid, resourceVersion, object });
  }
  return store;
}

/** A bridge that has just started; each call is a turn of it. */
function bridgeOf(
  objects: ObjectsInMemory,
  ironic: ReturnType<typeof ironicWith>,
  ended: Readonly<Record<string, number>> = {},
  logged = log,
): () => Promise<void> {
  const now = () => NOON + 1_000;
  const nodes = createDiscoveredNodes(ironic.client, now);
  const client = temporalWith(ended);
  const { kube } = objects;
  const stores = cacheOf(objects);
  const settings = discoverySettings();
  const announce = createAnnounce({ kube, log: logged, now });
  const { look } = createDiscover({ kube, client, stores, nodes, settings, announce, log: logged, now });
  return () => look(ironic.list(), never);
}

/** One turn of a bridge that has just started. */
const turn = (...bridge: Parameters<typeof bridgeOf>): Promise<void> => bridgeOf(...bridge)();

/** Its workflow shows it. */
const show = (objects: ObjectsInMemory): Promise<unknown> =>
  objects.kube.patch(`${HOST}/status`, { status: { provisioning: { state: 'unmanaged', ID: 'node-1' } } });

test('a machine becomes a host and its HardwareData, and another turn changes nothing', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC });
  await turn(objects, ironic);
  await show(objects);
  const before = [...objects.all()];
  expect(before.map(([path]) => path)).toEqual([HOST, HARDWARE]);
  const { uid } = objects.all().get(HOST)?.metadata ?? {};
  expect(objects.all().get(HARDWARE)).toMatchObject({
    metadata: { ownerReferences: [{ kind: 'BareMetalHost', uid }] },
    spec: { hardware: { nics: [{ mac: MAC }] } },
  });
  await turn(objects, ironic);
  expect([...objects.all()]).toEqual(before);
});

test('a machine that may be that of a host which could not be inspected becomes a host, and both have an Event that says so', async () => {
  const objects = objectsInMemory();
  await objects.kube.request({
    method: 'POST',
    path: hostCollection('metal'),
    body: {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name: 'stuck', namespace: 'metal', creationTimestamp: new Date(NOON - 3_600_000).toISOString() },
      spec: { bmc: { address: 'ipmi://192.0.2.9', credentialsName: 'stuck-bmc' } },
      status: { provisioning: { state: 'registering', ID: '' } },
    },
  });
  await turn(objects, ironicWith({ 'node-1': MAC }));
  const events = z.object({
    kind: z.literal('Event'),
    involvedObject: z.object({ name: z.string() }),
    message: z.string(),
  });
  const said = [...objects.all().values()].flatMap((object) => {
    const event = events.safeParse(object);
    return event.success ? [[event.data.involvedObject.name, event.data.message]] : [];
  });
  const unknown = 'which has no bootMACAddress and took too long to be inspected';
  expect(said).toEqual([
    ['discovered-525400000001', `this may be the machine of host metal/stuck, ${unknown}; if it is, delete this host`],
    ['stuck', `host metal/discovered-525400000001 was discovered, and may be this machine, ${unknown}`],
  ]);
});

test.each([0, 1])(
  'a bridge that ends before its write %s leaves a machine that the next one completes',
  async (last) => {
    const objects = objectsInMemory();
    const ironic = ironicWith({ 'node-1': MAC });
    let writes = 0;
    objects.beforeWrite = () => {
      if (writes++ === last) throw new Error('the bridge was killed');
    };
    await turn(objects, ironic).catch(() => undefined);
    expect(objects.all().size).toBe(last);
    if (last > 0) await show(objects);
    await turn(objects, ironic);
    expect([...objects.all().keys()]).toEqual([HOST, HARDWARE]);
    expect([...ironic.nodes.keys()]).toEqual(['node-1']);
  },
);

test('a machine whose host was deleted just before it booted is removed from Ironic, and only that', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC, 'node-2': '52:54:00:00:00:02' });
  await turn(objects, ironic, { 'discovered-525400000001': NOON - 1_000 });
  expect([...ironic.nodes.keys()]).toEqual(['node-2']);
  expect([...objects.all().keys()].some((path) => path === HOST)).toBe(false);
  expect(objects.all().size).toBe(2);
});

test('a machine whose host is deleted meanwhile gets HardwareData that nothing holds, so that its namespace can go', async () => {
  const objects = objectsInMemory();
  await turn(objects, ironicWith({ 'node-1': MAC }));
  const { metadata } = objects.all().get(HARDWARE) ?? {};
  expect(metadata).not.toHaveProperty('finalizers');
  expect(metadata).toHaveProperty('ownerReferences.length', 1);
});

test('a node that Ironic cannot delete keeps no other machine waiting', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC, 'node-2': '52:54:00:00:00:02' });
  ironic.client.deleteNode = async () => {
    throw new Error('Ironic answered 500');
  };
  await turn(objects, ironic, { 'discovered-525400000001': NOON - 1_000 });
  expect([...ironic.nodes.keys()]).toEqual(['node-1', 'node-2']);
  expect([...objects.all().keys()]).toEqual([HOST, HARDWARE].map((path) => path.replace(/1$/, '2')));
});

test('a node that is of no use and that Ironic cannot delete keeps no other machine waiting', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': 'no MAC address', 'node-2': '52:54:00:00:00:02' });
  ironic.client.deleteNode = async () => {
    throw new Error('Ironic answered 500');
  };
  await turn(objects, ironic);
  expect([...objects.all().keys()]).toEqual([HOST, HARDWARE].map((path) => path.replace(/1$/, '2')));
});

test.each([
  ['describe', 'inventory', MAC],
  ['delete', 'deleteNode', 'no MAC address'],
] as const)('a node that Ironic cannot %s is logged once for each error', async (_, call, mac) => {
  const ironic = ironicWith({ 'node-1': mac });
  const warnings: unknown[] = [];
  const logged = { ...log, warn: (about: unknown) => void warnings.push(about) };
  const look = bridgeOf(objectsInMemory(), ironic, {}, logged);
  // The third turn makes no attempt.
  for (const said of ['Ironic answered 500', 'Ironic answered 500', 'Ironic answered 502', 'Ironic answered 502']) {
    ironic.client[call] = async () => {
      throw new Error(said);
    };
    await look();
  }
  expect(warnings).toEqual([
    { node: 'node-1', error: 'Ironic answered 500' },
    { node: 'node-1', error: 'Ironic answered 502' },
  ]);
});

test('two hundred nodes that Ironic can never describe keep no other machine waiting for ever', async () => {
  const objects = objectsInMemory();
  const bad = Array.from({ length: 200 }, (_, at) => [`bad-${at}`, MAC] as const);
  const ironic = ironicWith({ ...Object.fromEntries(bad), good: '52:54:00:00:00:02' });
  const { inventory } = ironic.client;
  ironic.client.inventory = async (id) => {
    if (id.startsWith('bad-')) throw new Error('Ironic answered 500');
    return inventory(id);
  };
  const look = bridgeOf(objects, ironic);
  const turns = { most: 200, taken: 0 };
  while (turns.taken < turns.most && objects.all().size === 0) {
    turns.taken += 1;
    // A turn in which three nodes have failed for the first time ends there.
    await look().catch(() => undefined);
  }
  expect([...objects.all().keys()]).toHaveLength(2);
});

test('a node without an inventory for its host keeps no other machine waiting', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC });
  let writes = 0;
  objects.beforeWrite = () => {
    if (writes++ === 1) throw new Error('the bridge was killed');
  };
  await turn(objects, ironic).catch(() => undefined);
  await show(objects);
  ironic.nodes.set('node-2', '52:54:00:00:00:02');
  const { inventory } = ironic.client;
  ironic.client.inventory = async (id) => {
    if (id === 'node-1') throw new Error('Ironic answered 500');
    return inventory(id);
  };
  const warnings: unknown[] = [];
  await bridgeOf(objects, ironic, {}, { ...log, warn: (about: unknown) => void warnings.push(about) })();
  expect([...objects.all().keys()]).toEqual([HOST, ...[HOST, HARDWARE].map((path) => path.replace(/1$/, '2'))]);
  // The line is found by the host that waits for its hardware.
  expect(warnings).toEqual([
    {
      kind: 'BareMetalHost',
      object: expect.stringMatching(/^\S+\/\S+$/) as unknown,
      objectUid: expect.any(String) as unknown,
      node: 'node-1',
      error: 'Ironic answered 500',
    },
  ]);
});

test('a host that the API server refuses keeps no other machine waiting', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC, 'node-2': '52:54:00:00:00:02' });
  let writes = 0;
  objects.beforeWrite = () => {
    if (writes++ === 0) throw new KubeError('create', 422, { reason: 'Invalid', message: 'refused by a policy' });
  };
  await turn(objects, ironic);
  expect([...objects.all().keys()]).toEqual([HOST, HARDWARE].map((path) => path.replace(/1$/, '2')));
});

test('a discovered host that gives way is deleted, and nothing else', async () => {
  const objects = objectsInMemory();
  const ironic = ironicWith({ 'node-1': MAC });
  await turn(objects, ironic);
  await show(objects);
  const mine = HOST.replace(/[^/]*$/, 'mine');
  await objects.kube.request({
    method: 'POST',
    path: HOST.slice(0, HOST.lastIndexOf('/')),
    body: {
      kind: 'BareMetalHost',
      metadata: { namespace: 'metal', name: 'mine' },
      spec: { bootMACAddress: MAC, bmc: { address: 'redfish://bmc', credentialsName: 'bmc' } },
    },
  });
  await turn(objects, ironic);
  expect(objects.all().get(HOST)?.metadata.deletionTimestamp).toBeUndefined();

  await objects.kube.patch(`${mine}/status`, { status: { provisioning: { state: 'inspecting', ID: 'node-1' } } });
  await turn(objects, ironic);
  expect(objects.all().get(HOST)?.metadata.deletionTimestamp).toBeDefined();
  expect(objects.all().get(mine)?.metadata.deletionTimestamp).toBeUndefined();
  expect([...ironic.nodes.keys()]).toEqual(['node-1']);
});
