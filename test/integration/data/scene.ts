import { randomBytes } from 'node:crypto';
import { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { createDataClaimTaskActivities } from '../../../activities/kubernetes/data/claims.ts';
import { createDataActivities } from '../../../activities/kubernetes/data/data.ts';
import { createAddressActivities } from '../../../activities/kubernetes/ipam/addresses.ts';
import { createBridge } from '../../../k8s-bridge/bridge.ts';
import { connectKube, type Kube } from '../../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../../kube/kinds.ts';
import { collectionPath, hostPath, objectPath, secretPath } from '../../../kube/paths.ts';
import { HOME } from '../../../lab/rights.ts';
import { METRICS_OF } from '../../../platform/metrics/definitions.ts';
import { createMetrics } from '../../../platform/metrics/registry.ts';
import { connectTemporal } from '../../../platform/temporal/connection.ts';
import { cachedBundle } from '../../../workers/bundle.ts';
import { entityWorkflowId, TASK_QUEUE } from '../../../workflows/messages.ts';
import { bridgeConfig, NO_URLS } from '../../builders/bridge-config.ts';
import { plainAccess } from '../../builders/plain-access.ts';
import { createTemporalNamespace } from '../../builders/temporal-namespace.ts';
import { serveKinds } from '../../builders/throw-away-kinds.ts';
import { programsIn } from '../programs.ts';
import { IN_CLUSTER_POOL } from './in-cluster-pool.ts';

type Kind = FollowedKind;

/** The fields that the tests read of any object. */
export interface AnyObject {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly object[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface SecretObject extends AnyObject {
  readonly type: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The content of a Secret as text. */
export const text = (data: Readonly<Record<string, string>> | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));

/** Makes the API server serve kinds of Cluster API without validation, those of addresses in both of their versions. */
const serveClusterApi = (kube: Kube): Promise<void> =>
  serveKinds(kube, [
    KINDS.cluster,
    KINDS.machine,
    ...[KINDS.ipAddressClaim, KINDS.clusterIpAddress].map((kind) => ({ ...kind, olderVersions: ['v1beta1'] })),
    IN_CLUSTER_POOL,
  ]);

/** A namespace of its own with a Cluster, and a bridge and a worker for it. */
export async function openScene({ kubeconfig, temporalAddress }: { kubeconfig: string; temporalAddress: string }) {
  const kube = connectKube(kubeconfig);
  const namespace = `data-${randomBytes(4).toString('hex')}`;
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  await serveClusterApi(kube);
  const kubeconfigs = await programsIn(kube, kubeconfig, namespace);
  const [bridgeKube, workersKube] = [connectKube(kubeconfigs.bridge), connectKube(kubeconfigs.workers)];
  const connection = await NativeConnection.connect({ address: temporalAddress });

  const create = async (kind: Kind, name: string, body: object = {}): Promise<AnyObject> => {
    const { metadata, ...rest } = body as { metadata?: object };
    const made = await kube.request({
      method: 'POST',
      path: collectionPath(kind, namespace),
      body: { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name, namespace, ...metadata }, ...rest },
    });
    return made as AnyObject;
  };
  const read = async (kind: Kind, name: string): Promise<AnyObject | undefined> =>
    (await kube.find(objectPath(kind, { namespace, name }))) as AnyObject | undefined;

  /** Bridge and worker on a Temporal namespace, like processes of their own. */
  const work = async (
    temporalNamespace: string,
    {
      namesClaimsAfterHosts = false,
      watchFilter = '',
      historyLimit,
    }: {
      readonly namesClaimsAfterHosts?: boolean;
      readonly watchFilter?: string;
      readonly historyLimit?: number;
    } = {},
  ): Promise<() => Promise<void>> => {
    const client = new Client({
      connection: await connectTemporal({ address: temporalAddress }),
      namespace: temporalNamespace,
    });
    const worker = await Worker.create({
      connection,
      namespace: temporalNamespace,
      taskQueue: TASK_QUEUE,
      workflowBundle: await cachedBundle(),
      activities: {
        ...createDataClaimTaskActivities({ kube: workersKube }),
        ...createDataActivities({ kube: workersKube, namesClaimsAfterHosts }),
        ...createAddressActivities({ kube: workersKube }),
      },
    });
    const working = worker.run();
    const stopping = new AbortController();
    const config = {
      ...bridgeConfig({ namespace }),
      POD_NAMESPACE: HOME,
      WATCH_FILTER: watchFilter,
      TEMPER_HISTORY_LIMIT: historyLimit,
    };
    const temporal = plainAccess(temporalAddress, temporalNamespace);
    const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' });
    const metrics = createMetrics(METRICS_OF.bridge);
    const bridge = createBridge({ kube: bridgeKube, temporal, client, config, agentUrls: NO_URLS, log, metrics });
    const running = bridge.run(stopping.signal);
    return async () => {
      stopping.abort();
      await running;
      worker.shutdown();
      await working;
      await client.connection.close();
    };
  };
  let temporalNamespace = 'default';
  let stop = await work(temporalNamespace);
  await create(KINDS.cluster, 'blue');

  return {
    kube,
    namespace,
    /** The Temporal of bridge and worker. */
    get temporal() {
      return { endpoints: { temporalAddress, temporalNamespace } };
    },
    create,
    read,
    patch: (kind: Kind, name: string, patch: object): Promise<unknown> =>
      kube.patch(objectPath(kind, { namespace, name }), patch),
    remove: (kind: Kind, name: string): Promise<unknown> =>
      kube.request({ method: 'DELETE', path: objectPath(kind, { namespace, name }) }),
    all: async (kind: Kind): Promise<readonly AnyObject[]> =>
      ((await kube.request({ path: collectionPath(kind, namespace) })) as { items: AnyObject[] }).items,
    secret: async (name: string): Promise<SecretObject | undefined> =>
      (await kube.find(secretPath({ namespace, name }))) as SecretObject | undefined,
    removeSecret: (name: string): Promise<unknown> =>
      kube.request({ method: 'DELETE', path: secretPath({ namespace, name }) }),
    /** The signals, activities and results of a workflow. */
    async history(kind: Kind, name: string): Promise<Buffer> {
      const client = new Client({ connection: await connectTemporal({ address: temporalAddress }) });
      const handle = client.workflow.getHandle(entityWorkflowId(kind.kind, { namespace, name }));
      const history = historyToJSON(await handle.fetchHistory());
      await client.connection.close();
      return Buffer.from(JSON.stringify(history));
    },
    /** A host without a workflow, with hardware from inspection. */
    async host(name: string, { annotations = {}, labels = {} } = {}): Promise<void> {
      const paused = { 'baremetalhost.metal3.io/paused': 'by the test' };
      await kube.request({
        method: 'POST',
        path: hostPath({ namespace, name: '' }).replace(/\/$/, ''),
        body: {
          apiVersion: 'metal3.io/v1alpha1',
          kind: 'BareMetalHost',
          metadata: { name, namespace, labels, annotations: { ...annotations, ...paused } },
          spec: { online: false, bootMACAddress: '52:54:00:aa:bb:cc' },
        },
      });
    },
    inspected: (name: string): Promise<unknown> =>
      kube.patch(`${hostPath({ namespace, name })}/status`, {
        status: {
          errorMessage: '',
          errorCount: 0,
          poweredOn: false,
          hardwareProfile: '',
          operationalStatus: 'OK',
          provisioning: { state: 'available', ID: '', image: { url: '' } },
          hardware: { nics: [{ name: 'eth0', mac: '52:54:00:00:00:01' }] },
        },
      }),
    annotateHost: (name: string, annotations: object): Promise<unknown> =>
      kube.patch(hostPath({ namespace, name }), { metadata: { annotations } }),
    /** A Metal3Machine with its Machine and, as its controller creates it, its data claim. */
    async machine(name: string, template: string, host?: string): Promise<AnyObject> {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'blue' };
      const { uid } = await create(KINDS.machine, name, { metadata: { labels }, spec: { clusterName: 'blue' } }).then(
        ({ metadata }) => metadata,
      );
      const owner = { apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name, uid, controller: true };
      const machine = await create(KINDS.metal3Machine, name, {
        metadata: {
          labels,
          ownerReferences: [owner],
          ...(host !== undefined && { annotations: { 'metal3.io/BareMetalHost': `${namespace}/${host}` } }),
        },
        spec: { dataTemplate: { name: template, namespace }, image: { url: 'http://image', checksum: 'x' } },
      });
      await create(KINDS.dataClaim, name, {
        metadata: {
          labels,
          ownerReferences: [
            {
              apiVersion: KINDS.metal3Machine.apiVersion,
              kind: 'Metal3Machine',
              name,
              uid: machine.metadata.uid,
              controller: true,
            },
          ],
        },
        spec: { template: { name: template, namespace } },
      });
      return machine;
    },
    /** Ends the run of an object's workflow, as an operator may. */
    async terminate(kind: Kind, name: string): Promise<void> {
      const client = new Client({
        connection: await connectTemporal({ address: temporalAddress }),
        namespace: temporalNamespace,
      });
      await client.workflow.getHandle(entityWorkflowId(kind.kind, { namespace, name })).terminate('by the test');
      await client.connection.close();
    },
    /** Restarts bridge and worker with `--enable-bmh-name-based-preallocation`. */
    async nameClaimsAfterHosts(): Promise<void> {
      await stop();
      stop = await work('default', { namesClaimsAfterHosts: true });
    },
    /** Restarts bridge and worker with `--watch-filter`. */
    async selectBy(watchFilter: string): Promise<void> {
      await stop();
      stop = await work(temporalNamespace, { watchFilter });
    },
    /** Restarts bridge and worker with `TEMPER_HISTORY_LIMIT`. */
    async continueAfter(historyLimit: number): Promise<void> {
      await stop();
      stop = await work(temporalNamespace, { historyLimit });
    },
    /** Restarts bridge and worker with an empty Temporal. */
    async loseTemporal(): Promise<void> {
      await stop();
      const fresh = `fresh-${randomBytes(4).toString('hex')}`;
      await createTemporalNamespace(temporalAddress, fresh);
      temporalNamespace = fresh;
      stop = await work(fresh);
    },
    async end(): Promise<void> {
      await stop();
      await connection.close();
      await Promise.all([kube, bridgeKube, workersKube].map((each) => each.close()));
    },
  };
}
