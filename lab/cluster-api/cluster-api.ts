import { join } from 'node:path';
import type { ManagerName } from '../binaries/cluster-api.ts';
import { CLUSTER_API } from '../binaries/cluster-api.ts';
import { type COMPONENTS, clusterApiComponents } from '../binaries/components.ts';
import { gettingStep, type Programs } from '../binaries/programs.ts';
import { pkiIn } from '../control-plane/certificates.ts';
import { etcdUrl } from '../control-plane/etcd.ts';
import type { NodeSettings } from '../node/settings.ts';
import { inStep, type OnProgress } from '../progress.ts';
import type { Session } from '../supervisor/session.ts';
import { managerService } from './managers.ts';
import { registerComponents } from './register.ts';
import { ensureServing } from './serving.ts';

export const CLUSTER_API_PORTS = {
  clusterApiWebhooks: 16091,
  clusterApiHealth: 16092,
  kubeadmBootstrapWebhooks: 16093,
  kubeadmBootstrapHealth: 16094,
  kubeadmControlPlaneWebhooks: 16095,
  kubeadmControlPlaneHealth: 16096,
  /** Not a server of the lab: reserved for the API server of one cluster that is created in it. */
  workloadCluster: 17443,
} as const;

export type ClusterApiPorts = Readonly<Record<keyof typeof CLUSTER_API_PORTS, number>>;

interface Manager {
  readonly name: ManagerName;
  /** The provider's name in clusterctl. */
  readonly provider: string;
  readonly manifests: keyof typeof COMPONENTS;
  readonly webhooks: keyof typeof CLUSTER_API_PORTS;
  readonly health: keyof typeof CLUSTER_API_PORTS;
}

export const MANAGERS: readonly Manager[] = [
  {
    name: 'cluster-api-core-manager',
    provider: 'cluster-api',
    manifests: 'core-components.yaml',
    webhooks: 'clusterApiWebhooks',
    health: 'clusterApiHealth',
  },
  {
    name: 'kubeadm-bootstrap-manager',
    provider: 'bootstrap-kubeadm',
    manifests: 'bootstrap-components.yaml',
    webhooks: 'kubeadmBootstrapWebhooks',
    health: 'kubeadmBootstrapHealth',
  },
  {
    name: 'kubeadm-control-plane-manager',
    provider: 'control-plane-kubeadm',
    manifests: 'control-plane-components.yaml',
    webhooks: 'kubeadmControlPlaneWebhooks',
    health: 'kubeadmControlPlaneHealth',
  },
];

const MANIFESTS_STEP = 'Get manifests of Cluster API';
const APPLY_STEP = 'Apply manifests of Cluster API';
const START_STEP = 'Start Cluster API';

export const CLUSTER_API_STEPS = {
  title: 'Cluster API',
  steps: [
    gettingStep('kubeadm'),
    ...MANAGERS.map(({ name }) => gettingStep(name)),
    MANIFESTS_STEP,
    APPLY_STEP,
    START_STEP,
  ],
} as const;

/** Settings with which lab machines can become Nodes, with the lab's own etcd. */
export async function nodeSettings(dir: string, etcdPort: number, get: Programs): Promise<NodeSettings> {
  const { ca, etcdClient } = pkiIn(join(dir, 'pki'));
  const [kubeadm, kubeApiserver, kubeControllerManager] = await Promise.all([
    get('kubeadm'),
    get('kube-apiserver'),
    get('kube-controller-manager'),
  ]);
  return {
    kubeadm,
    kubeApiserver,
    kubeControllerManager,
    etcd: { url: etcdUrl(etcdPort), caFile: ca, certFile: etcdClient.cert, keyFile: etcdClient.key },
    logsDir: join(dir, 'logs'),
  };
}

/** Starts the three managers of Cluster API with the lab's API server, including webhooks. */
export async function startClusterApi(
  { dir, supervisor }: Session,
  ports: ClusterApiPorts,
  kubeconfig: string,
  get: Programs,
  onProgress: OnProgress,
): Promise<void> {
  const components = await inStep(
    onProgress,
    MANIFESTS_STEP,
    (detail) => clusterApiComponents({ kubectl: () => get('kubectl'), onProgress: detail }),
    ({ folder, source }) => `${CLUSTER_API} from ${source}: ${folder}`,
  );
  const managers = await Promise.all(
    MANAGERS.map(async (manager) => ({
      ...manager,
      binary: await get(manager.name),
      serving: await ensureServing(join(dir, 'cluster-api', manager.name)),
    })),
  );
  await inStep(
    onProgress,
    APPLY_STEP,
    () =>
      Promise.all(
        managers.map(({ manifests, webhooks, serving }) =>
          registerComponents(
            kubeconfig,
            join(components.folder, manifests),
            { port: ports[webhooks], ca: serving.ca },
            AbortSignal.timeout(240_000),
          ),
        ),
      ),
    (names) => `${names.flat().length} kinds`,
  );
  await inStep(onProgress, START_STEP, async () => {
    const starts = managers.map(({ name, binary, serving, webhooks, health }) =>
      supervisor.start(
        managerService({
          name,
          binary,
          kubeconfig,
          serving,
          ports: { webhooks: ports[webhooks], health: ports[health] },
        }),
      ),
    );
    await Promise.allSettled(starts);
    await Promise.all(starts);
  });
}
