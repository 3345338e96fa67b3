import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { ADDRESS_FINALIZERS } from '../../api/ipam/kind.ts';
import { MACHINE_FINALIZER } from '../../api/metal3machine/kind.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { PAUSED_BY_CLUSTER } from '../../domain/machine/names.ts';
import { OPENSHIFT_API } from '../../domain/machine-api/names.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, hostPath, nodePath, objectPath, type Resource } from '../../kube/paths.ts';
import { anyLinkOrder } from '../../test/builders/link-order.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { STALE } from '../../workflows/messages.ts';
import type * as proxies from '../../workflows/proxies.ts';
import type { IronicActivities } from '../ironic/activities.ts';
import { createActivities } from '../kinds.ts';

/** All activities that a workflow can call. */
type Called = {
  [Proxy in keyof typeof proxies]: (typeof proxies)[Proxy] extends (summary: string) => infer All ? All : never;
}[keyof typeof proxies];
type NameIn<All> = All extends unknown ? keyof All : never;
/** Those of Ironic are in fresh-host.test.ts. */
type Name = Exclude<NameIn<Called>, keyof IronicActivities>;
type CallIn<All, Of> = All extends unknown ? (Of extends keyof All ? All[Of] : never) : never;
type OrderOf<Of> = CallIn<Called, Of> extends (order: infer Order) => unknown ? Order : never;

/**
 * Which object an activity reads before it writes, erases, or reads a Secret, with an order that the object does not ask
 * for. Or why it may act on the order alone: then test/attacks/README.md says what a made-up order of it does.
 */
type Entry<Order> = { readonly reads: string; readonly madeUp: Order } | { readonly alone: string };

const NAMESPACE = 'metal';
const named = (name: string) => ({ namespace: NAMESPACE, name });
const withUid = (name: string) => ({ ...named(name), uid: `${name}-uid` });
const [HOST, MACHINE, DATA, POOL] = [withUid('host-1'), withUid('m3m-1'), withUid('data-0'), withUid('lan')];
const OWN = { ...withUid('worker-0'), api: OPENSHIFT_API };
const NODE = { name: 'node-a', uid: 'node-a-uid' };
const SET = withUid('workers');
const CLUSTER = named('test1');
const NO_MESSAGE = 'it sends a message to a run of a workflow: whoever can start it could send that message';
const ATTEMPT = {
  remediation: withUid('sick'),
  retryCount: 0,
  lastRemediated: '',
  machine: withUid('machine-1'),
  metal3Machine: MACHINE.name,
};

const ACTIVITIES: { readonly [Of in Name]: Entry<OrderOf<Of>> } = {
  // A host for a machine.
  findOwnHost: { alone: 'it answers with what a host shows' },
  blockMove: { alone: 'a host of the machine, or one that no machine has, is not moved by clusterctl' },
  pauseHost: { alone: 'such a host stands still' },
  unpauseHost: {
    reads: objectPath(KINDS.cluster, CLUSTER),
    madeUp: { host: HOST, machine: MACHINE, clusterName: CLUSTER.name },
  },
  changeHost: {
    reads: objectPath(KINDS.metal3Machine, MACHINE),
    madeUp: { host: HOST, machine: MACHINE, change: { image: { url: 'http://evil/x', checksum: 'x' }, online: true } },
  },
  takeHost: {
    reads: objectPath(KINDS.metal3Machine, named('nobody')),
    madeUp: { host: HOST, machine: named('nobody'), clusterName: CLUSTER.name },
  },
  giveHostBack: {
    reads: objectPath(KINDS.metal3Machine, MACHINE),
    madeUp: { host: HOST, machine: MACHINE, clusterName: CLUSTER.name },
  },
  // What belongs to a host.
  requestImage: {
    reads: hostPath(HOST),
    madeUp: { host: HOST, desired: { acceptFormats: ['iso'], networkDataName: 'secret-1' } },
  },
  releaseHost: { reads: hostPath(HOST), madeUp: { host: HOST, credentialsName: 'secret-1' } },
  // Data and addresses.
  requestData: {
    reads: objectPath(KINDS.metal3Machine, named('m3m-2')),
    madeUp: { machine: withUid('m3m-2'), template: named('racks') },
  },
  letDataGo: { reads: objectPath(KINDS.metal3Machine, MACHINE), madeUp: MACHINE },
  settleClaims: {
    reads: objectPath(KINDS.dataClaim, MACHINE),
    madeUp: {
      namespace: NAMESPACE,
      template: 'others',
      tasks: [{ kind: 'give', claim: MACHINE.name, uid: MACHINE.uid, index: 7 }],
    },
  },
  claimAddresses: {
    reads: objectPath(KINDS.data, DATA),
    madeUp: { data: DATA, pools: [{ name: 'lan', apiGroup: 'ipam.metal3.io', kind: 'IPPool' }] },
  },
  letClaimsGo: {
    reads: objectPath(KINDS.ipClaim, named('address')),
    madeUp: { data: { ...DATA, uid: 'made-up' }, claims: ['address'] },
  },
  renderData: { reads: objectPath(KINDS.data, DATA), madeUp: { data: DATA } },
  releaseAddresses: { reads: objectPath(KINDS.data, DATA), madeUp: { data: DATA } },
  linkPool: {
    reads: objectPath(KINDS.ipPool, POOL),
    madeUp: { name: 'link', pool: POOL, cluster: 'made-up', owner: { uid: 'made-up' } },
  },
  settleAddresses: {
    reads: objectPath(KINDS.ipPool, POOL),
    madeUp: {
      name: 'settle',
      pool: POOL,
      namePrefix: 'p',
      tasks: [
        { kind: 'give', claim: { kind: 'IPClaim', ...withUid('address') }, allocation: { address: '10.6.6.6' } },
        { kind: 'let go', loose: { kind: 'IPClaim', claim: 'other', name: 'p-10-0-0-1', address: '10.0.0.1' } },
      ],
    },
  },
  // Workload clusters: their kubeconfig is a Secret.
  findNode: {
    reads: objectPath(KINDS.metal3Machine, named('nobody')),
    madeUp: anyLinkOrder({ machine: named('nobody') }),
  },
  awaitNode: {
    reads: objectPath(KINDS.metal3Machine, named('nobody')),
    madeUp: { order: anyLinkOrder({ machine: named('nobody') }), knownProblem: '' },
  },
  syncNodeLabels: {
    reads: objectPath(KINDS.metal3Machine, named('nobody')),
    madeUp: { cluster: CLUSTER, node: 'node-a', prefixes: [''], labels: {} },
  },
  // Remediations.
  keepHostOff: { reads: objectPath(KINDS.remediation, ATTEMPT.remediation), madeUp: { ...ATTEMPT, host: HOST } },
  letHostOn: {
    reads: objectPath(KINDS.remediation, ATTEMPT.remediation),
    madeUp: { ...ATTEMPT, host: HOST, vanished: true, keys: ['reboot.metal3.io/metal3-remediation-sick-uid'] },
  },
  handOver: {
    reads: objectPath(KINDS.remediation, ATTEMPT.remediation),
    madeUp: { ...ATTEMPT, host: HOST, message: 'made up' },
  },
  freeNode: {
    reads: objectPath(KINDS.machine, ATTEMPT.machine),
    madeUp: { ...ATTEMPT, host: HOST, cluster: CLUSTER, node: 'node-a' },
  },
  awaitDrain: {
    reads: objectPath(KINDS.machine, ATTEMPT.machine),
    madeUp: { order: { ...ATTEMPT, host: HOST, cluster: CLUSTER, node: 'node-a' }, until: 0 },
  },
  returnNode: { alone: 'a Node of the Cluster of the Machine loses the taint of remediations' },
  // The Machine API.
  linkOwnNode: {
    reads: objectPath(KINDS.openShiftMachine, OWN),
    madeUp: { node: NODE, machine: OWN, providerID: 'baremetalhost:///metal/host-1/host-1-uid', fills: true },
  },
  removeOwnNode: { reads: objectPath(KINDS.openShiftMachine, OWN), madeUp: { node: NODE, machine: OWN } },
  keepMachineHostOff: { reads: objectPath(KINDS.openShiftMachine, OWN), madeUp: { host: HOST, machine: OWN } },
  letMachineHostOn: { alone: 'the host of the Machine is on, and a remediation of it ends sooner' },
  takeNodeAway: { reads: objectPath(KINDS.openShiftMachine, OWN), madeUp: { host: HOST, machine: OWN, node: NODE } },
  endMachineRemediation: { alone: 'a remediation of the Machine ends sooner' },
  deleteMachine: { reads: objectPath(KINDS.openShiftMachine, OWN), madeUp: { machine: OWN } },
  makeMachines: { reads: objectPath(KINDS.openShiftMachineSet, SET), madeUp: { set: SET, names: ['made-up'] } },
  deleteSurplus: { reads: objectPath(KINDS.openShiftMachineSet, SET), madeUp: { set: SET, machine: OWN } },
  adoptMachine: { reads: objectPath(KINDS.openShiftMachineSet, SET), madeUp: { set: SET, machine: OWN } },
  // Messages to other runs.
  askForPlace: { alone: NO_MESSAGE },
  requestHost: { alone: NO_MESSAGE },
  returnHost: { alone: NO_MESSAGE },
  forwardToHost: { alone: NO_MESSAGE },
  // Activities of the bridge.
  publish: { alone: 'a view is trusted as far as Temporal is' },
  steerHost: { alone: 'whoever may send messages to Temporal may steer' },
  steerMachine: { alone: 'whoever may send messages to Temporal may steer' },
  revive: { alone: 'it starts the run of an object that exists' },
  chooseHost: { alone: 'it suggests a host, which takeHost judges' },
  hostsUnderway: { alone: 'it answers with what hosts show' },
  namesOfHosts: { alone: 'it answers with names of hosts' },
};

/** Objects that ask for nothing, and the activities; `read` are the paths that were read. */
async function aWorld() {
  const objects = objectsInMemory();
  const { kube: stored } = objects;
  const put = (kind: Resource, { namespace, name, uid }: typeof HOST, metadata: object = {}, rest: object = {}) => {
    const body = { kind: 'Any', ...rest, metadata: { namespace, name, uid, ...metadata } };
    return stored.request({ method: 'POST', path: collectionPath(kind, namespace), body });
  };
  const labels = { [CLUSTER_LABELS.clusterName]: CLUSTER.name };
  await put(KINDS.cluster, withUid('test1'), {}, { spec: { paused: true } });
  await put(KINDS.host, HOST, { labels, annotations: { [ANNOTATIONS.paused]: PAUSED_BY_CLUSTER } }, { spec: {} });
  await put(KINDS.secret, withUid('secret-1'), { finalizers: ['baremetalhost.metal3.io/secret'] });
  await put(KINDS.metal3Machine, MACHINE, { labels, finalizers: [MACHINE_FINALIZER] }, { spec: {} });
  await put(KINDS.metal3Machine, withUid('m3m-2'), { labels, finalizers: [MACHINE_FINALIZER] }, { spec: {} });
  await put(KINDS.dataClaim, MACHINE, {}, { spec: { template: { name: 'racks' } } });
  await put(KINDS.data, DATA, {}, { spec: { index: 0, template: { name: 'racks' }, claim: { name: MACHINE.name } } });
  await put(KINDS.ipPool, POOL, {}, { spec: { namePrefix: 'p', pools: [{ start: '10.0.0.1', end: '10.0.0.9' }] } });
  const finalizers = [ADDRESS_FINALIZERS.IPClaim.claim];
  await put(KINDS.ipClaim, withUid('address'), { finalizers }, { spec: { pool: { name: 'lan' } } });
  await put(KINDS.ipClaim, withUid('other'), { finalizers }, { status: { address: { name: 'p-10-0-0-2' } } });
  await put(
    KINDS.ipAddress,
    withUid('p-10-0-0-1'),
    {},
    { spec: { address: '10.0.0.1', pool: { name: 'lan' }, claim: { name: 'address' } } },
  );
  await put(KINDS.remediation, ATTEMPT.remediation);
  await put(KINDS.openShiftMachine, OWN);
  await put(
    KINDS.openShiftMachineSet,
    SET,
    {},
    { spec: { replicas: 0, selector: { matchLabels: { set: 'workers' } }, template: {} } },
  );
  await stored.request({ method: 'POST', path: nodePath(), body: { metadata: NODE, spec: {} } });

  const read: string[] = [];
  const kube: typeof stored = {
    ...stored,
    find: (path) => (read.push(path), stored.find(path)),
    request: (call) => ((call.method ?? 'GET') === 'GET' && read.push(call.path), stored.request(call)),
  };
  const notReached = () => Promise.reject(new Error('nothing is to be asked of a workload cluster'));
  const clusters = { connect: notReached, close: () => Promise.resolve(), size: 0 };
  const { signal } = new AbortController();
  const call = { attempt: 1, askedAt: 0, waitedMs: 0, signal, workflowId: 'metal3machine/metal/nobody' };
  const { requests, nodeWaits } = createActivities({
    kube,
    // No activity that sends a message is called.
    client: {} as Client,
    clusters,
    currentCall: () => ({ ...call, show: () => undefined }),
    temporalCommand: 'temporal',
    defaultArchitecture: 'x86_64',
    namesClaimsAfterHosts: false,
  });
  const activities: object = { ...requests, ...nodeWaits };
  return { activities, read, all: () => new Map(objects.all()) };
}

const entries = Object.entries(ACTIVITIES) as [Name, Entry<unknown>][];

describe('an order that no object asks for', () => {
  const reading = entries.flatMap(([name, entry]) => ('reads' in entry ? [{ name, ...entry }] : []));
  test.each(reading)('changes nothing, and has no Secret read: $name', async ({ name, reads, madeUp }) => {
    const { activities, read, all } = await aWorld();
    const before = all();
    const activity = activities[name as keyof typeof activities] as (order: unknown) => Promise<unknown>;
    const refusal = await activity(madeUp).then(
      () => STALE,
      ({ type }: { readonly type?: string }) => type,
    );
    expect(refusal).toBe(STALE);
    expect(read).toContain(reads);
    expect(all()).toEqual(before);
    expect(read.filter((path) => path.includes('/secrets/'))).toEqual([]);
  });
});

test('test/attacks/README.md says what a made-up order does of each activity that acts on the order alone', () => {
  const page = readFileSync('test/attacks/README.md', 'utf8');
  const alone = entries.flatMap(([name, entry]) => ('alone' in entry ? [name] : []));
  expect(alone.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
