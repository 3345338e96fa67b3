import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetch } from 'undici';
import type { HostData } from '../../../activities/host-data.ts';
import { createIronicOperations, type IronicActivities } from '../../../activities/ironic/activities.ts';
import { createIronicClient, type IronicClient } from '../../../activities/ironic/client/client.ts';
import { createNodePoller } from '../../../activities/ironic/poll/poller.ts';
import { DEFAULT_IRONIC_SETTINGS } from '../../../activities/ironic/settings.ts';
import type { HardwareDetails } from '../../../api/baremetalhost/types.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import { desiredSettings } from '../../../domain/ironic/node-settings.ts';
import type { NodeOrder, RegisterOrder } from '../../../domain/ironic/orders.ts';
import type { MachineView } from '../../../lab/agent/simulated-machine.ts';
import { bmcAddress } from '../../../lab/ironic/ironic-lab.ts';
import { type StandaloneIronic, startIronic } from '../../../lab/ironic/standalone.ts';
import type { Failure } from '../../../lab/machines/failure.ts';
import { bootMac, type LabMachine } from '../../../lab/machines/machine.ts';
import type { Fault } from '../../../lab/proxy/faults.ts';
import type { Recorded } from '../../../lab/proxy/recording.ts';
import { asActivities } from '../../builders/permits.ts';
import { aSecretText } from '../../builders/secret-text.ts';

/** User data of the deployed system, which must only be found on its disk. */
export const USER_DATA = '#cloud-config\npassword: canary-user-data\n';

/** Values that are otherwise in Kubernetes. */
interface Store {
  password: string;
  readonly hardware: Map<string, HardwareDetails>;
}

export interface Bench {
  readonly lab: StandaloneIronic;
  readonly client: IronicClient;
  readonly store: Store;
  /** The activities in the context of this attempt. */
  attempt(number: number, askedAt?: number): IronicActivities;
  readonly first: IronicActivities;
  fault(fault: Partial<Fault>): Promise<void>;
  /** The requests to Ironic since the last `forget`, without lists. */
  requests(): Promise<readonly Recorded[]>;
  /** How often Ironic accepted a target for the node, since the last `forget`. */
  accepted(nodeId: string, target: string): Promise<number>;
  forget(): Promise<void>;
  machine(name: string): Promise<MachineView>;
  misbehave(name: string, failures: readonly Failure[]): Promise<void>;
  close(): Promise<void>;
}

export async function openBench(machines: number): Promise<Bench> {
  const lab = await startIronic({
    dir: await mkdtemp(join(tmpdir(), 'temper-ironic-client-')),
    auth: 'http_basic',
    machines,
    proxy: true,
    ephemeral: true,
    latency: { bootMs: 100, stepMs: 50 },
  });
  const { endpoints } = lab;
  const client = await createIronicClient({
    endpoint: endpoints.ironic,
    ...(endpoints.authRootDir !== undefined && { authRootDir: endpoints.authRootDir }),
  });
  const log = { info: (): void => {}, warn: (): void => {} };
  const poller = createNodePoller({ listNodes: (signal) => client.listNodes(signal), intervalMs: 200, log });
  const store: Store = { password: endpoints.bmc.password, hardware: new Map() };
  const settings = { ...DEFAULT_IRONIC_SETTINGS, deployImages: { iso: endpoints.deployIso }, allowFakeHardware: true };
  const signal = new AbortController().signal;
  const attempt: Bench['attempt'] = (number, askedAt = Date.now()) =>
    asActivities(
      createIronicOperations({
        ironic: client,
        poller,
        hostData: hostDataIn(store, endpoints.bmc.username),
        settings,
        log,
        tell: () => Promise.resolve(),
        call: () => ({ attempt: number, askedAt, waitedMs: 0, signal, workflowId: '', show: () => {} }),
      }),
    );

  const control = async (base: string | undefined, method: string, path: string, body?: unknown): Promise<unknown> => {
    const options =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${base ?? ''}${path}`, { method, ...options });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json().catch(() => undefined);
  };
  const { proxyControl, agentControl } = endpoints;
  const requests: Bench['requests'] = async () => {
    const all = (await control(proxyControl, 'GET', '/_recorded')) as readonly Recorded[];
    return all.filter(({ kind }) => kind !== 'list nodes');
  };

  return {
    lab,
    client,
    store,
    attempt,
    first: attempt(1),
    async fault(fault) {
      await control(proxyControl, 'POST', '/_faults', fault);
    },
    requests,
    async accepted(nodeId, target) {
      const all = await requests();
      return all.filter((each) => each.node === nodeId && each.target === target && each.status < 300).length;
    },
    async forget() {
      await control(proxyControl, 'DELETE', '/_recorded');
    },
    machine: async (name) => (await control(agentControl, 'GET', `/machines/${name}`)) as MachineView,
    async misbehave(name, failures) {
      await control(agentControl, 'PUT', `/machines/${name}/failures`, failures);
    },
    async close() {
      poller.close();
      await client.close();
      await lab.stop();
    },
  };
}

const hostDataIn = (store: Store, username: string): HostData => ({
  bmcCredentials: (_, name) =>
    Promise.resolve(
      name === 'missing'
        ? { kind: 'missing', message: 'there is no such Secret' }
        : { kind: 'ok', username, password: store.password, version: '1' },
    ),
  hostData: (_, reference, key) =>
    Promise.resolve(
      reference === undefined ? undefined : aSecretText(key === 'userData' ? USER_DATA : 'rack: r7\n', { key }),
    ),
  claimedNetworkData: () => Promise.resolve(aSecretText('links: []\n', { version: '1' })),
  registryLogin: () => Promise.resolve({ kind: 'ok', login: 'canary:registry' }),
  openedImage: (_, image) => Promise.resolve(image),
  openedUrl: (_, url) => Promise.resolve(url),
  secretsOf: () => Promise.resolve([store.password]),
  saveHardware(host, hardware) {
    store.hardware.set(host.name, hardware);
    return Promise.resolve();
  },
  readHardware: (host) => Promise.resolve(store.hardware.get(host.name)),
});

/** A host on a lab machine, or on a node without one, which is faster and never fails. */
export function hostOn(bench: Bench, machine: LabMachine | undefined, order: Partial<NodeOrder> = {}): NodeOrder {
  const name = machine?.name ?? `fake-${randomUUID().slice(0, 8)}`;
  return {
    host: { namespace: 'metal', name, uid: randomUUID() },
    nodeId: '',
    bmc: {
      address: machine === undefined ? `fake-hardware://${name}` : bmcAddress(machine, bench.lab.endpoints),
      credentialsName: 'bmc',
      disableCertificateVerification: true,
    },
    bootMode: 'UEFI',
    inspectionMode: 'agent',
    ...desiredSettings({
      automatedCleaningMode: 'disabled',
      ...(machine !== undefined && { bootMACAddress: bootMac(machine) }),
    }),
    ...order,
  };
}

export const registration = (order: NodeOrder, more: Partial<RegisterOrder> = {}): RegisterOrder => ({
  ...order,
  credentialsChanged: false,
  credentialsSeen: null,
  retry: false,
  deleting: false,
  ...more,
});

/** Waits until Ironic has stopped changing the node's state. */
export async function atRest(bench: Bench, { host, nodeId }: NodeOrder): Promise<IronicNode> {
  const node = await bench.first.waitForNode({ host, nodeId, until: 'rest' });
  if (node === null) throw new Error(`Ironic does not know node ${nodeId}`);
  return node;
}

/** A host whose node is `manageable`. */
export async function registered(bench: Bench, order: NodeOrder): Promise<NodeOrder> {
  const answer = await bench.first.registerNode(registration(order));
  if (answer.kind !== 'registered') throw new Error(`registration: ${JSON.stringify(answer)}`);
  const known = { ...order, nodeId: answer.node.id };
  await atRest(bench, known);
  return known;
}

/** A host whose node is `available`. */
export async function available(bench: Bench, order: NodeOrder): Promise<NodeOrder> {
  const known = await registered(bench, order);
  await bench.first.provideNode({ host: known.host, nodeId: known.nodeId, retry: false });
  await atRest(bench, known);
  return known;
}
