import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import type { RemediationNodeOrder } from '../../../domain/remediation/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { kubeOf } from '../../../test/builders/kube-of.ts';
import { BEGUN, SICK_HOST_ORDER } from '../../../test/builders/remediation.ts';
import { STALE } from '../../../workflows/messages.ts';
import { UnreachableCluster, type WorkloadClusters } from '../clusters.ts';
import { createSickNodeActivities } from './sick-node.ts';

/** Both clusters are one server, which keeps objects by their path and merges patches into them. */
const KEY = 'reboot.metal3.io/metal3-remediation-r-uid';
const NODE = '/api/v1/nodes/node-1';
const REMEDIATION = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/metal/metal3remediations/one';
const MACHINE = '/apis/cluster.x-k8s.io/v1beta2/namespaces/metal/machines/machine-1';
const OWN_MACHINE = '/apis/machine.openshift.io/v1beta1/namespaces/metal/machines/machine-1';
const HOST = '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1';
const [PODS, VOLUMES] = ['/api/v1/pods', '/apis/storage.k8s.io/v1/volumeattachments'];
const TAINT = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
const ORDER: RemediationNodeOrder = {
  ...SICK_HOST_ORDER,
  cluster: { namespace: 'metal', name: 'test1' },
  node: 'node-1',
};

let objects: Map<string, Json>;
let server: Server;
let kube: Kube;
let isAway: boolean;
/** Paths that the credentials for the workload cluster may not read. */
let forbidden: readonly string[];
/** Tokens of pages that have expired. */
let expired: readonly string[];
/** A path for which the server is called, and never answers. */
let silent: { readonly path: string; readonly reached: () => void } | undefined;
let asked: { readonly path: string; readonly limit: string | null; readonly accept: string | undefined }[];

beforeEach(async () => {
  [expired, silent, asked] = [[], undefined, []];
  isAway = false;
  forbidden = [];
  const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'machine-1', uid: 'm-uid' };
  const consumerRef = { ...owner, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Metal3Machine' };
  objects = new Map<string, Json>([
    ['/version', { major: '1', minor: '27' }],
    [PODS, { items: [{ metadata: { name: 'runs' } }] }],
    [VOLUMES, { items: [{ spec: { nodeName: 'another' } }] }],
    [NODE, aNode({ labels: { rack: '7' }, annotations: { owner: 'me' } })],
    [
      REMEDIATION,
      {
        metadata: { namespace: 'metal', name: 'one', uid: 'r-uid', ownerReferences: [owner] },
        status: { phase: 'Running', lastRemediated: BEGUN },
      },
    ],
    [
      MACHINE,
      {
        metadata: { namespace: 'metal', name: 'machine-1', uid: 'm-uid' },
        spec: { clusterName: 'test1', infrastructureRef: { kind: 'Metal3Machine', name: 'm3m-1' } },
        status: { nodeRef: { name: 'node-1' } },
      },
    ],
    [
      HOST,
      {
        metadata: { namespace: 'metal', name: 'host-1', uid: 'h-uid', annotations: { [KEY]: '' } },
        spec: { online: true, consumerRef: { ...consumerRef, name: 'm3m-1', namespace: 'metal' } },
        status: { poweredOn: false, provisioning: { state: 'provisioned' } },
      },
    ],
  ]);
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    asked.push({ path: pathname, limit: searchParams.get('limit'), accept: request.headers.accept });
    if (silent?.path === pathname) return silent.reached();
    const object = objects.get(pathname);
    const answer = (status: number, body: object): void => void response.writeHead(status).end(JSON.stringify(body));
    if (forbidden.includes(pathname)) return answer(403, { kind: 'Status', reason: 'Forbidden' });
    if (expired.includes(searchParams.get('continue') ?? '')) return answer(410, { kind: 'Status', reason: 'Expired' });
    if (object === undefined) return answer(404, { kind: 'Status', reason: 'NotFound', details: { name: 'x' } });
    if (request.method === 'DELETE') objects.delete(pathname);
    if (request.method !== 'PATCH') return answer(200, object);
    void json(request).then((patch) => {
      objects.set(pathname, merged(object, patch as Json));
      answer(200, objects.get(pathname) as Json);
    });
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function aNode(metadata: object, spec: object = {}): Json {
  return { metadata: { name: 'node-1', uid: 'n-uid', resourceVersion: '5', ...metadata }, spec };
}
function merged(target: Json, patch: Json): Json {
  const entries = Object.entries({ ...target, ...patch })
    .filter(([key]) => patch[key] !== null)
    .map(([key, value]) => [key, key in patch && isObject(value) ? merged((target[key] ?? {}) as Json, value) : value]);
  return Object.fromEntries(entries) as Json;
}
const change = (path: string, patch: object): unknown =>
  objects.set(path, merged(objects.get(path) ?? {}, patch as Json));
const annotations = (): unknown => ((objects.get(REMEDIATION) ?? {})['metadata'] as Json)['annotations'];

function activities(signal = new AbortController().signal, askedAt = Date.now()) {
  const clusters: WorkloadClusters = {
    connect: () => (isAway ? Promise.reject(new UnreachableCluster('cluster test1 is away')) : Promise.resolve(kube)),
    close: async () => undefined,
    size: 0,
  };
  return createSickNodeActivities({
    kube,
    clusters,
    intervalMs: 1,
    currentCall: () => ({ signal, askedAt, waitedMs: 0 }),
  });
}
const node = (is: string) => ({ kind: 'node', node: is });

describe('the Node of a host that is off', () => {
  test('is deleted where the cluster does not know the taint, after its labels and annotations were stored', async () => {
    expect(await activities().freeNode(ORDER)).toEqual(node('freed'));
    expect(objects.has(NODE)).toBe(false);
    expect(annotations()).toEqual({
      'remediation.metal3.io/node-labels-backup': '{"rack":"7"}',
      'remediation.metal3.io/node-annotations-backup': '{"owner":"me"}',
    });
    expect(await activities().freeNode(ORDER)).toEqual(node('absent'));
  });

  test('keeps what was stored in an earlier attempt', async () => {
    change(REMEDIATION, { metadata: { annotations: { 'remediation.metal3.io/node-labels-backup': '{"zone":"a"}' } } });
    await activities().freeNode(ORDER);
    expect(annotations()).toMatchObject({ 'remediation.metal3.io/node-labels-backup': '{"zone":"a","rack":"7"}' });
  });

  test('of a Machine of the Machine API is deleted in this cluster, whatever that knows', async () => {
    objects.set('/version', { major: '1', minor: '31' });
    isAway = true;
    const owner = { apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'machine-1', uid: 'm-uid' };
    change(REMEDIATION, { metadata: { ownerReferences: [owner] } });
    change(HOST, { spec: { consumerRef: { ...owner, namespace: 'metal' } } });
    objects.set(OWN_MACHINE, {
      metadata: { namespace: 'metal', name: 'machine-1', uid: 'm-uid' },
      status: { nodeRef: { name: 'node-1' } },
    });
    const order = {
      ...ORDER,
      machine: { ...ORDER.machine, api: OPENSHIFT_API },
      metal3Machine: 'machine-1',
      cluster: { namespace: 'metal', name: '' },
    };
    expect(await activities().freeNode(order)).toEqual(node('freed'));
    expect(objects.has(NODE)).toBe(false);
    objects.set(NODE, aNode({ uid: 'new' }));
    expect(await activities().returnNode(order)).toEqual(node('returned'));
    expect(objects.get(NODE)).toMatchObject({ metadata: { labels: { rack: '7' }, annotations: { owner: 'me' } } });
    expect(annotations()).toEqual({});
  });

  test('gets the taint where the cluster knows it, beside its others', async () => {
    objects.set('/version', { major: '1', minor: '31' });
    const other = { key: 'other', effect: 'NoSchedule' };
    objects.set(NODE, aNode({}, { taints: [other] }));
    for (const _ of [1, 2]) expect(await activities().freeNode(ORDER)).toEqual(node('draining'));
    const timeAdded = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;
    expect(objects.get(NODE)).toMatchObject({ spec: { taints: [other, { ...TAINT, timeAdded }] } });
    expect(annotations()).toBeUndefined();
  });

  test.each([
    ['is on again', HOST, { status: { poweredOn: true } }],
    ['is not kept off any more', HOST, { metadata: { annotations: { [KEY]: null } } }],
    ['belongs to another machine', HOST, { spec: { consumerRef: { name: 'other' } } }],
    ['has a remediation that waits', REMEDIATION, { status: { phase: 'Waiting' } }],
    ['has a Machine with another Node', MACHINE, { status: { nodeRef: { name: 'node-2' } } }],
  ])('is not touched when the host %s', async (_, path, patch) => {
    change(path, patch);
    await expect(activities().freeNode(ORDER)).rejects.toMatchObject({ type: STALE });
    expect(objects.has(NODE)).toBe(true);
  });

  test('of a cluster in another namespace is not touched', async () => {
    const order = { ...ORDER, cluster: { namespace: 'other', name: 'test1' } };
    await expect(activities().freeNode(order)).rejects.toMatchObject({ type: STALE });
  });

  test('is told of as unreachable while its cluster is away', async () => {
    isAway = true;
    const away = { kind: 'unreachable', message: 'cluster test1 is away' };
    expect(await activities().freeNode(ORDER)).toEqual(away);
    expect(await activities().returnNode(ORDER)).toEqual(away);
    expect(await activities().awaitDrain({ order: ORDER, until: Date.now() + 60_000 })).toEqual(away);
  });

  test('is told of as unreachable while the credentials for its cluster may not read it, and is left as it is', async () => {
    const refused = { kind: 'unreachable', message: 'the API server of cluster test1 refuses our credentials' };
    forbidden = [NODE, PODS];
    expect(await activities().freeNode(ORDER)).toEqual(refused);
    expect(await activities().returnNode(ORDER)).toEqual(refused);
    expect(await activities().awaitDrain({ order: ORDER, until: Date.now() + 60_000 })).toEqual(refused);
    expect(objects.get(NODE)).toEqual(aNode({ labels: { rack: '7' }, annotations: { owner: 'me' } }));
    expect(annotations()).toBeUndefined();
  });
});

describe('a drain', () => {
  const drain = (until: number) => activities().awaitDrain({ order: ORDER, until });
  test('takes no longer than Temporal has given it, whose clock is a year ahead', async () => {
    objects.set(PODS, { items: [{ metadata: { name: 'leaves', deletionTimestamp: BEGUN } }] });
    const askedAt = Date.now() + 365 * 86_400_000;
    const drained = activities(undefined, askedAt).awaitDrain({ order: ORDER, until: askedAt + 20 });
    expect(await drained).toEqual(node('left'));
  });

  test('has its time when our clock is a year ahead', async () => {
    const askedAt = Date.now() - 365 * 86_400_000;
    const drained = activities(undefined, askedAt).awaitDrain({ order: ORDER, until: askedAt + 60_000 });
    expect(await drained).toEqual(node('freed'));
  });

  test('ends when no Pod is being deleted and no volume is attached', async () => {
    expect(await drain(Date.now() + 60_000)).toEqual(node('freed'));
  });

  test.each([
    ['a Pod is being deleted', PODS, { metadata: { name: 'leaves', deletionTimestamp: BEGUN } }],
    ['a volume is attached', VOLUMES, { spec: { nodeName: 'node-1' } }],
  ])('goes on while %s', async (_, path, item) => {
    objects.set(path, { items: [item] });
    expect(await drain(Date.now() + 20)).toEqual(node('left'));
    const ended = drain(Date.now() + 60_000);
    objects.set(path, { items: [] });
    expect(await ended).toEqual(node('freed'));
  });

  test('looks at all pages', async () => {
    objects.set(PODS, { items: [], metadata: { continue: 'more' } });
    expect(await drain(Date.now() + 20)).toEqual(node('left'));
  });

  test('goes on while a list has more than fifty thousand objects', async () => {
    objects.set(PODS, { items: Array.from({ length: 50_001 }, () => 0) });
    expect(await drain(Date.now() + 20)).toEqual(node('left'));
  });

  test('is looked at again when the token of a page has expired', async () => {
    objects.set(PODS, { items: [], metadata: { continue: 'more' } });
    expired = ['more'];
    expect(await drain(Date.now() + 20)).toEqual(node('left'));
    const ended = drain(Date.now() + 60_000);
    objects.set(PODS, { items: [] });
    expect(await ended).toEqual(node('freed'));
  });

  test('needs one request of each list where there is little, and of Pods the metadata alone', async () => {
    await drain(Date.now() + 60_000);
    const lists = asked.filter(({ path }) => [PODS, VOLUMES].includes(path));
    expect(lists).toEqual([
      { path: PODS, limit: '100', accept: expect.stringMatching(/as=PartialObjectMetadataList/) as unknown },
      { path: VOLUMES, limit: '100', accept: 'application/json' },
    ]);
  });

  test('that is cancelled during a request ends at once', async () => {
    const ending = new AbortController();
    silent = { path: PODS, reached: () => ending.abort(new Error('enough')) };
    const waiting = activities(ending.signal).awaitDrain({ order: ORDER, until: Date.now() + 60_000 });
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('a Node that is back', () => {
  test('gets what it lacks of what was stored, which is removed then, and loses the taint', async () => {
    const stored = {
      'remediation.metal3.io/node-labels-backup': '{"rack":"7","zone":"a"}',
      'remediation.metal3.io/node-annotations-backup': 'no JSON',
      mine: 'x',
    };
    change(REMEDIATION, { metadata: { annotations: stored } });
    objects.set(NODE, aNode({ labels: { rack: '8' } }, { taints: [TAINT] }));
    expect(await activities().returnNode(ORDER)).toEqual(node('returned'));
    expect(objects.get(NODE)).toMatchObject({ metadata: { labels: { rack: '8', zone: 'a' } }, spec: { taints: [] } });
    expect(annotations()).toEqual({ mine: 'x' });
  });

  test('is not there yet, and what was stored stays', async () => {
    change(REMEDIATION, { metadata: { annotations: { 'remediation.metal3.io/node-labels-backup': '{"a":"b"}' } } });
    objects.delete(NODE);
    expect(await activities().returnNode(ORDER)).toEqual(node('absent'));
    expect(annotations()).toEqual({ 'remediation.metal3.io/node-labels-backup': '{"a":"b"}' });
  });

  test('is returned without a remediation, too', async () => {
    objects.delete(REMEDIATION);
    objects.set(NODE, aNode({}, { taints: [TAINT] }));
    expect(await activities().returnNode(ORDER)).toEqual(node('returned'));
    expect(objects.get(NODE)).toMatchObject({ spec: { taints: [] } });
  });
});
