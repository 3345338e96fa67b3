import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { KubeError } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { marksKept } from '../../kube/objects/secret.ts';
import { collectionPath, hostPath, secretPath } from '../../kube/paths.ts';
import { keyOf } from '../../kube/reflector.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createReleaseSecrets, type ReleaseSecrets } from './release-secrets.ts';

const namespace = 'metal';
const FINALIZER = 'baremetalhost.metal3.io/secret';
let server: ObjectsInMemory;
let store: Store;
let releases: ReleaseSecrets;
let logged: string[];
/** The Secrets with network data that the runs of hosts say to have used, by uid. */
let used: Map<string, string>;

beforeEach(() => {
  vi.useFakeTimers();
  server = objectsInMemory();
  used = new Map();
  begin();
});
afterEach(async () => {
  await releases.stop();
  vi.useRealTimers();
});

/** A bridge that has listed what there is. */
function begin(): void {
  store = createStore();
  logged = [];
  const log = { info: () => void logged.push('info'), warn: () => void logged.push('warn') };
  releases = createReleaseSecrets({ kube: server.kube, store, agentNetworkOf: (uid) => used.get(uid), log });
}
const serve = (): void => {
  follow();
  releases.serve();
};
/** The watch delivers all objects as they are. */
function follow(): void {
  for (const object of server.all().values()) {
    const { kind, metadata } = object;
    if (kind === 'Secret') store.put(KINDS.secret, { ...metadata, object: marksKept(object) });
    else store.put(KINDS.host, { ...metadata, object });
  }
}
const settle = async (): Promise<void> => {
  follow();
  await vi.advanceTimersByTimeAsync(11_000);
};

interface Host {
  readonly credentials?: string;
  readonly network?: string;
  readonly userData?: string;
  readonly good?: string;
}

const specOf = ({ credentials = '', network = '', userData }: Host) => ({
  bmc: { address: 'redfish://x', credentialsName: credentials },
  preprovisioningNetworkDataName: network,
  userData: userData === undefined ? null : { name: userData },
});
const statusOf = ({ good }: Host) => ({ goodCredentials: { credentials: { name: good ?? '' } } });

async function aHost(name: string, host: Host): Promise<void> {
  const path = collectionPath(KINDS.host, namespace);
  const object = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { namespace, name, uid: name } };
  await server.kube.request({ method: 'POST', path, body: { ...object, spec: specOf(host), status: statusOf(host) } });
}
const change = async (name: string, host: Host): Promise<void> => {
  await server.kube.patch(hostPath({ namespace, name }), { spec: specOf(host) });
  await server.kube.patch(`${hostPath({ namespace, name })}/status`, { status: statusOf(host) });
};

async function aSecret(name: string, { owners = [] as readonly string[], isMarked = true } = {}): Promise<void> {
  const ownerReferences = owners.map((uid) => ({
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    name: uid,
    uid,
  }));
  const marks = isMarked
    ? { finalizers: ['my.own/finalizer', FINALIZER], labels: { 'environment.metal3.io': 'baremetal', mine: 'yes' } }
    : {};
  await server.kube.request({
    method: 'POST',
    path: collectionPath(KINDS.secret, namespace),
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name, ownerReferences, ...marks } },
  });
}

const marksOn = (name: string): unknown => {
  const metadata = server.all().get(secretPath({ namespace, name }))?.metadata as
    | { finalizers?: string[]; labels?: Record<string, string>; ownerReferences?: { name: string }[] }
    | undefined;
  return {
    finalizer: metadata?.finalizers?.includes(FINALIZER) ?? false,
    label: 'environment.metal3.io' in (metadata?.labels ?? {}),
    owners: metadata?.ownerReferences?.map((owner) => owner.name) ?? [],
  };
};
const held = (...owners: readonly string[]) => ({ finalizer: true, label: true, owners });
const FREE = { finalizer: false, label: false, owners: [] };

describe('a Secret that a host has left behind', () => {
  test('for the BMC is released once the new one works, with what others have put on it', async () => {
    await aSecret('old', { owners: ['a'] });
    await aHost('a', { credentials: 'old', good: 'old' });
    serve();
    await aSecret('new', { isMarked: false });
    await change('a', { credentials: 'new', good: 'old' });
    await settle();
    expect(marksOn('old')).toEqual(held('a'));
    await change('a', { credentials: 'new', good: 'new' });
    await settle();
    expect(marksOn('old')).toEqual(FREE);
    expect(server.all().get(secretPath({ namespace, name: 'old' }))?.metadata).toMatchObject({
      finalizers: ['my.own/finalizer'],
      labels: { mine: 'yes' },
    });
  });

  test('for the deploy agent is released once the new one has our marks', async () => {
    await aSecret('bmc', { owners: ['a'] });
    await aSecret('old', { owners: ['a'] });
    await aHost('a', { credentials: 'bmc', good: 'bmc', network: 'old' });
    serve();
    await aSecret('new', { isMarked: false });
    await change('a', { credentials: 'bmc', good: 'bmc', network: 'new' });
    await settle();
    expect(marksOn('old')).toEqual(held('a'));
    await server.kube.patch(secretPath({ namespace, name: 'new' }), { metadata: { finalizers: [FINALIZER] } });
    await settle();
    expect([marksOn('old'), marksOn('bmc')]).toEqual([FREE, held('a')]);
  });

  test('is released once the host is registered with the network data that it names, where those may not be marked', async () => {
    await aSecret('old', { owners: ['a'] });
    await aSecret('net', { isMarked: false });
    await aHost('a', { credentials: 'bmc', good: 'bmc', network: 'net' });
    serve();
    used.set('a', 'another');
    await settle();
    expect(marksOn('old')).toEqual(held('a'));
    used.set('a', 'net');
    releases.hostWritten(keyOf({ namespace, name: 'a' }));
    await settle();
    expect(marksOn('old')).toEqual(FREE);
  });

  test('is found again after a restart, and after a restore of etcd, from the objects alone', async () => {
    await aSecret('old', { owners: ['a'] });
    await aSecret('new', { owners: ['a'] });
    await aHost('a', { credentials: 'new', good: 'new' });
    begin();
    serve();
    await settle();
    expect([marksOn('old'), marksOn('new')]).toEqual([FREE, held('a')]);
  });

  test('that several hosts share is released with the last of them', async () => {
    await aSecret('shared', { owners: ['a', 'b'] });
    await aSecret('new', { owners: ['a', 'b'] });
    await aHost('a', { credentials: 'shared', good: 'shared' });
    await aHost('b', { credentials: 'shared', good: 'shared' });
    serve();
    await change('a', { credentials: 'new', good: 'new' });
    await settle();
    expect(marksOn('shared')).toEqual(held('b'));
    await change('b', { credentials: 'new', good: 'new' });
    await settle();
    expect(marksOn('shared')).toEqual(FREE);
  });

  test('keeps the label that another host needs, whose user data it is', async () => {
    await aSecret('old', { owners: ['a'] });
    await aHost('a', { credentials: 'new', good: 'new' });
    await aHost('b', { userData: 'old' });
    serve();
    await settle();
    expect(marksOn('old')).toEqual({ finalizer: false, label: true, owners: [] });
  });

  test('because it is gone has lost its finalizer at once when it is to be deleted with its host', async () => {
    await aSecret('left', { owners: ['gone'] });
    serve();
    await server.kube.request({ method: 'DELETE', path: secretPath({ namespace, name: 'left' }) });
    follow();
    await vi.advanceTimersByTimeAsync(1);
    expect(marksOn('left')).toEqual({ finalizer: false, label: false, owners: ['gone'] });
  });
});

describe('a Secret is left alone', () => {
  test('when its host names it by now, although the watch is late', async () => {
    await aSecret('early', { owners: ['a'] });
    await aHost('a', { credentials: 'other', good: 'other' });
    serve();
    await change('a', { credentials: 'early', good: 'early' });
    await vi.advanceTimersByTimeAsync(11_000);
    expect(marksOn('early')).toEqual(held('a'));
  });

  test('when it was never ours', async () => {
    await aSecret('users', { owners: ['a'], isMarked: false });
    await aHost('a', { credentials: 'other' });
    serve();
    await settle();
    expect(marksOn('users')).toEqual({ finalizer: false, label: false, owners: ['a'] });
  });

  test('before all hosts are listed', async () => {
    await aSecret('bmc', { owners: ['a'] });
    await settle();
    await aHost('a', { credentials: 'bmc' });
    serve();
    await settle();
    expect(marksOn('bmc')).toEqual(held('a'));
  });
});

test('a policy that forbids to remove owners keeps no finalizer, and one that is away is asked again', async () => {
  await aSecret('old', { owners: ['a'] });
  await aHost('a', { credentials: 'new', good: 'new' });
  const refusing = [500, 403];
  server.beforeWrite = (method, path) => {
    const status = path.includes('secrets') ? refusing.shift() : undefined;
    if (status !== undefined) throw new KubeError(method, status, { object: 'old', reason: 'Forbidden' });
  };
  serve();
  await settle();
  await settle();
  expect(marksOn('old')).toEqual({ finalizer: false, label: false, owners: ['a'] });
  expect(releases.size).toBe(0);
});

test('a Secret that still cannot be released after six tries is a warning in the log', async () => {
  await aSecret('old', { owners: ['a'] });
  await aHost('a', { credentials: 'new', good: 'new' });
  server.beforeWrite = (method, path) => {
    if (path.includes('secrets')) throw new KubeError(method, 500, { object: 'old', reason: 'InternalError' });
  };
  serve();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(new Set(logged)).toEqual(new Set(['info']));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(logged.at(-1)).toBe('warn');
});
