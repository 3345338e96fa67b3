import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { expect, inject, vi } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import type { Shown } from '../../../domain/entity/view.ts';
import type { HostRecord } from '../../../domain/host/memory/host-record.ts';
import { hostConditions } from '../../../domain/host/report/conditions.ts';
import type { HostOfKind } from '../../../domain/host/report/view.ts';
import { type Bridge, type BridgeDeps, createBridge, runBridges } from '../../../k8s-bridge/bridge.ts';
import { runAlone } from '../../../k8s-bridge/lease/alone.ts';
import type { Restores } from '../../../k8s-bridge/lease/renewals.ts';
import { connectKube, type Kube } from '../../../kube/client.ts';
import { eventCollection, hostPath } from '../../../kube/paths.ts';
import { METRICS_OF } from '../../../platform/metrics/definitions.ts';
import { createMetrics } from '../../../platform/metrics/registry.ts';
import { connectTemporal } from '../../../platform/temporal/connection.ts';
import { NO_TRACING, type Tracing } from '../../../platform/tracing/tracing.ts';
import { hostWorkflowId, TASK_QUEUE } from '../../../workflows/messages.ts';
import { bridgeConfig, NO_URLS } from '../../builders/bridge-config.ts';
import { aHost } from '../../builders/host.ts';
import { plainAccess } from '../../builders/plain-access.ts';
import { type Recorded, recorded, show, type TestView } from './recorder-workflow.ts';

export interface Where {
  readonly kubeconfig: string;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  readonly tracing?: Tracing;
}

interface Running {
  stop(): Promise<void>;
}

interface RunningBridge extends Running {
  /** What is not in order, in words. */
  missing(): readonly string[];
  warnings(): readonly string[];
}

/** A namespace of its own, with a bridge and recording workflows to start. */
export interface Scene {
  readonly kube: Kube;
  readonly client: Client;
  readonly namespace: string;
  startBridge(
    change?: Partial<Pick<BridgeDeps, 'agentUrls' | 'nodes' | 'sweepMs'>> & {
      readonly config?: Partial<BridgeDeps['config']>;
      /** Its own connection to the API server. */
      readonly kube?: Kube;
      /** Pause between two renewals of its Lease. */
      readonly retrySeconds?: number;
    },
  ): RunningBridge;
  /** `forgets`: each workflow task begins with a replay, as after a restart of the workers. */
  startRecorder(options?: { readonly forgets?: boolean }): Promise<Running>;
  createHost(name: string, change?: { readonly spec?: object; readonly metadata?: object }): Promise<BareMetalHost>;
  host(name: string): Promise<BareMetalHost | undefined>;
  patchHost(name: string, patch: object): Promise<unknown>;
  deleteHost(name: string): Promise<unknown>;
  createSecret(name: string): Promise<void>;
  recorded(name: string): Promise<Recorded>;
  /** The metrics of the bridge that was started last, in Prometheus' text format. */
  metrics(): Promise<string>;
  /** Has the run of the host, as soon as there is one, show the view. */
  show(view: TestView): Promise<void>;
  end(): Promise<void>;
}

/** Of the bridges of a scene, one at a time. */
export const LEASE = { name: 'temper-bridge', identity: 'of-a-test', durationSeconds: 15, retrySeconds: 2 };

export async function openScene({
  kubeconfig,
  temporalAddress,
  temporalNamespace,
  tracing = NO_TRACING,
}: Where): Promise<Scene> {
  const kube = connectKube(kubeconfig);
  const client = new Client({
    connection: await connectTemporal({ address: temporalAddress }),
    namespace: temporalNamespace,
    interceptors: { workflow: [...tracing.client] },
  });
  const namespace = `bridge-${randomBytes(4).toString('hex')}`;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body });
  const running = new Set<Running>();
  let metrics = createMetrics(METRICS_OF.bridge);
  const track = (stop: () => Promise<void>): Running => {
    const one: Running = {
      stop: async () => {
        if (running.delete(one)) await stop();
      },
    };
    running.add(one);
    return one;
  };
  const handle = (name: string) => client.workflow.getHandle(hostWorkflowId({ namespace, name }));

  return {
    kube,
    client,
    namespace,
    startBridge({ agentUrls = NO_URLS, config: changed = {}, retrySeconds = LEASE.retrySeconds, ...rest } = {}) {
      const stopping = new AbortController();
      const config = { ...bridgeConfig({ namespace }), ...changed };
      const temporal = { ...plainAccess(temporalAddress, temporalNamespace), tracing };
      metrics = createMetrics(METRICS_OF.bridge);
      const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
      const own = { kube, temporal, client, config, agentUrls, log, metrics, ...rest };
      const lease = { kube: own.kube, log, namespace, ...LEASE, retrySeconds };
      let bridge: Bridge | undefined;
      const lead = (signal: AbortSignal, restores: Restores): Promise<void> => {
        return runBridges((isAfterRestore) => (bridge = createBridge({ ...own, restores, isAfterRestore })), signal);
      };
      const run = runAlone(lease, lead, stopping.signal);
      const running = track(async () => {
        stopping.abort();
        await run;
      });
      return { ...running, missing: () => bridge?.missing ?? [], warnings: () => bridge?.warnings ?? [] };
    },
    async startRecorder({ forgets = false } = {}) {
      const connection = await NativeConnection.connect({ address: temporalAddress });
      const worker = await Worker.create({
        connection,
        namespace: temporalNamespace,
        taskQueue: TASK_QUEUE,
        workflowBundle: { codePath: inject('recorderBundle') },
        ...(forgets && { maxCachedWorkflows: 0 }),
      });
      const run = worker.run();
      return track(async () => {
        worker.shutdown();
        await run;
        await connection.close();
      });
    },
    createHost: async (name, { spec, metadata } = {}) =>
      (await kube.request({
        method: 'POST',
        path: hostPath({ namespace, name: '' }).replace(/\/$/, ''),
        body: {
          apiVersion: 'metal3.io/v1alpha1',
          kind: 'BareMetalHost',
          metadata: { name, namespace, ...metadata },
          spec: { online: true, bmc: { address: `redfish://${name}`, credentialsName: `${name}-bmc` }, ...spec },
        },
      })) as BareMetalHost,
    host: async (name) => (await kube.find(hostPath({ namespace, name }))) as BareMetalHost | undefined,
    patchHost: (name, patch) => kube.patch(hostPath({ namespace, name }), patch),
    deleteHost: (name) => kube.request({ method: 'DELETE', path: hostPath({ namespace, name }) }),
    async createSecret(name) {
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData: { username: 'a', password: 'b' },
      };
      await kube.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets`, body: secret });
    },
    recorded: (name) => handle(name).query(recorded),
    metrics: () => metrics.read(),
    async show(view) {
      await vi.waitFor(() => handle(view.name).describe(), PATIENCE);
      await handle(view.name).signal(show, view);
    },
    async end() {
      for (const one of [...running].reverse()) await one.stop();
      await client.connection.close();
      await kube.close();
    },
  };
}

/** Of a host that is off: at rest, it has nothing to do. */
const NOTHING_DUE = { online: false, customDeploy: { method: 'install' } };

const NEVER = { start: null, end: null };

type Change = Partial<Omit<TestView, 'shown'>> & {
  readonly shown?: Partial<Omit<Shown, 'status' | 'ofKind'>> & {
    readonly status?: HostRecord;
    readonly ofKind?: Partial<HostOfKind>;
  };
};

/** What every view of a test shows of a host. */
export const recordOf = (state: HostRecord['provisioning']['state']): HostRecord => ({
  operationalStatus: 'OK',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  provisioning: { state, ID: '1111', image: { url: '' } },
  operationHistory: { register: NEVER, inspect: NEVER, provision: NEVER, deprovision: NEVER },
  goodCredentials: {},
  triedCredentials: {},
});

/** A view of this host in a state, with whatever is to be different. */
export function viewOf(host: BareMetalHost, state: HostRecord['provisioning']['state'], change: Change = {}): TestView {
  const { namespace, name, uid = '', generation = 1 } = host.metadata;
  const { shown: { ofKind, status = recordOf(state), ...shown } = {}, ...envelope } = change;
  return {
    kind: 'BareMetalHost',
    namespace,
    name,
    uid,
    generation,
    run: 'run-1',
    revision: 1,
    waitingFor: '',
    shown: {
      finalizer: true,
      timed: true,
      conditions: hostConditions(aHost({ state, status, seen: { spec: NOTHING_DUE } })),
      events: [],
      ofKind: { hardwareInspected: false, ...ofKind },
      status: { ...status },
      ...shown,
    },
    ...envelope,
  };
}

export const PATIENCE = { timeout: 600_000, interval: 200 };

/** Events about a host of the scene, from the API server. */
export async function eventsOf(
  { kube, namespace }: Pick<Scene, 'kube' | 'namespace'>,
  name: string,
): Promise<readonly unknown[]> {
  const query = { fieldSelector: `involvedObject.name=${name}` };
  const { items } = (await kube.request({ path: eventCollection(namespace), query })) as { items: readonly unknown[] };
  return items;
}

const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/baremetalhosts.metal3.io';

/** A host that fits an older or newer CRD than ours, so that we cannot parse it. */
export async function createUnreadableHost(scene: Scene, name: string): Promise<BareMetalHost> {
  const changeCrd = async (from: string, to: string): Promise<void> => {
    const crd = JSON.stringify(await scene.kube.request({ path: CRD }));
    await scene.kube.request({ method: 'PUT', path: CRD, body: JSON.parse(crd.replaceAll(from, to)) });
  };
  await changeCrd('"UEFISecureBoot"', '"SomethingElse"');
  try {
    return await vi.waitFor(() => scene.createHost(name, { spec: { bootMode: 'SomethingElse' } }), PATIENCE);
  } finally {
    await changeCrd('"SomethingElse"', '"UEFISecureBoot"');
  }
}

/** vitest's matchers are `any`; these have types. */
export const ANY_VERSION: unknown = expect.stringMatching(/^\d+$/);
export const ANYTHING: unknown = expect.anything();
