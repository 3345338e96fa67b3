import { createConnection } from 'node:net';
import { KUBERNETES as VERSION } from '../binaries/catalog.ts';
import type { Programs } from '../binaries/programs.ts';
import { auditArgs } from '../control-plane/audit.ts';
import { answers } from '../http/answers.ts';
import { FIRST_ADMIN, KUBELET, MANIFESTS, openKubeadm, PKI } from '../node/kubeadm.ts';
import { argumentsOf, readStaticPods } from '../node/kubelet/static-pods.ts';
import type { RootFolder } from '../node/root-folder.ts';
import type { Service } from '../service.ts';
import { until } from '../supervisor/wait.ts';
import { API_SERVER, NODES, SERVICES } from './addresses.ts';
import { PROXY_KUBECONFIG } from './node-files.ts';

const DOCUMENTS = [
  {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'InitConfiguration',
    nodeRegistration: { name: NODES[0].name, criSocket: 'unix:///run/containerd/containerd.sock' },
  },
  {
    apiVersion: 'kubeadm.k8s.io/v1beta4',
    kind: 'ClusterConfiguration',
    kubernetesVersion: `v${VERSION}`,
    controlPlaneEndpoint: `${API_SERVER.host}:${API_SERVER.port}`,
    networking: { serviceSubnet: SERVICES, dnsDomain: 'cluster.local' },
  },
];

export interface KubeadmOrder {
  readonly program: string;
  /** The folders of both nodes. */
  readonly roots: readonly [RootFolder, RootFolder];
  readonly log: string;
}

/**
 * kubeadm makes certificates, kubeconfigs and the manifests of the control plane. `kubeconfig` is the path of the
 * administrator's.
 */
export async function makeKubeadmFiles({
  program,
  roots,
  log,
}: KubeadmOrder): Promise<Pick<KubeadmOrder, 'roots'> & { readonly kubeconfig: string }> {
  const [root, other] = roots;
  const signal = AbortSignal.timeout(300_000);
  const kubeadm = await openKubeadm(DOCUMENTS, { program, root, address: API_SERVER.host, log, signal });
  await kubeadm.makeFiles(['super-admin', 'kubelet', 'controller-manager', 'scheduler']);
  await other.write(KUBELET, await kubeadm.kubeconfigFor(`system:node:${NODES[1].name}`, 'system:nodes'));
  await other.write(`${PKI}/ca.crt`, await root.read(`${PKI}/ca.crt`));
  const proxy = await kubeadm.kubeconfigFor('system:kube-proxy');
  for (const each of roots) await each.write(PROXY_KUBECONFIG, proxy);
  return { roots, kubeconfig: root.at(FIRST_ADMIN) };
}

/** The programs of kubeadm's static Pods, as processes of node 1: a kubelet would need their images. */
export async function controlPlaneServices(root: RootFolder, dir: string, get: Programs): Promise<readonly Service[]> {
  const pods = await readStaticPods(root.at(MANIFESTS));
  const ca = await root.read(`${PKI}/ca.crt`);
  const { host, port } = API_SERVER;
  return [
    {
      name: 'etcd',
      command: await get('etcd'),
      args: [...argumentsOf(pods, 'etcd'), '--unsafe-no-fsync'],
      ready: (signal) => until('etcd', () => accepts(host, 2379), signal),
    },
    {
      name: 'kube-apiserver',
      command: await get('kube-apiserver'),
      args: [...argumentsOf(pods, 'kube-apiserver'), ...auditArgs(dir)],
      ready: (signal) => answers(`https://${host}:${port}/readyz`, signal, { tls: { ca } }),
    },
    ...(await Promise.all(
      (['kube-controller-manager', 'kube-scheduler'] as const).map(
        async (name): Promise<Service> => ({
          name,
          command: await get(name),
          args: argumentsOf(pods, name),
          // They serve their health on the node's own 127.0.0.1.
          ready: () => Promise.resolve(),
        }),
      ),
    )),
  ];
}

/** Resolves when a server accepts connections. */
export const accepts = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = createConnection({ host, port }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
