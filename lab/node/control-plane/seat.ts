import { createHash } from 'node:crypto';
import { KUBERNETES, PKI } from '../kubeadm.ts';
import { argumentsOf, type StaticPod } from '../kubelet/static-pods.ts';
import type { RootFolder } from '../root-folder.ts';
import type { NodeSettings } from '../settings.ts';
import { type ClusterConfiguration, InvalidUserData } from '../user-data/kubeadm-config.ts';
import type { Seat } from './control-plane-process.ts';

/** The controllers that are needed to join Nodes and to delete objects; others would only use memory. */
const CONTROLLERS = [
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'token-cleaner-controller',
];

/** The processes that really run for a machine's static Pods, on loopback and with the machine's own files. */
export async function seatOf(
  cluster: ClusterConfiguration,
  pods: readonly StaticPod[],
  root: RootFolder,
  settings: NodeSettings,
): Promise<Seat> {
  const ca = await root.read(`${PKI}/ca.crt`);
  const endpoint = endpointOf(cluster.controlPlaneEndpoint);
  const here = (name: string): readonly string[] =>
    argumentsOf(pods, name).map((arg) => arg.replaceAll(`${KUBERNETES}/`, `${root.at(KUBERNETES)}/`));
  const apiServer = here('kube-apiserver');
  return {
    cluster: cluster.clusterName,
    endpoint,
    ca,
    programs: [
      {
        name: 'kube-apiserver',
        path: settings.kubeApiserver,
        args: withArguments(apiServer, {
          'bind-address': endpoint.host,
          'advertise-address': '127.0.0.1',
          'secure-port': String(endpoint.port),
          'endpoint-reconciler-type': 'none',
          ...etcdArguments(cluster, apiServer, ca, settings),
        }),
      },
      {
        name: 'kube-controller-manager',
        path: settings.kubeControllerManager,
        args: withArguments(here('kube-controller-manager'), {
          'bind-address': '127.0.0.1',
          'secure-port': '0',
          'leader-elect': 'false',
          'allocate-node-cidrs': 'false',
          controllers: CONTROLLERS.join(','),
        }),
      },
    ],
  };
}

type Arguments = Readonly<Record<string, string>>;

/** Replaces arguments: a list argument would otherwise be extended. */
function withArguments(given: readonly string[], ours: Arguments): readonly string[] {
  const kept = given.filter((arg) => !(nameOf(arg) in ours));
  return [...kept, ...Object.entries(ours).map(([name, value]) => `--${name}=${value}`)];
}

const nameOf = (arg: string): string => arg.replace(/^--/, '').split('=', 1)[0] ?? '';

/** Each cluster has its own prefix in a shared etcd; a new cluster with an old name has a new one. */
function etcdArguments(
  cluster: ClusterConfiguration,
  apiServer: readonly string[],
  ca: string,
  { etcd }: NodeSettings,
): Arguments {
  const hash = createHash('sha256').update(ca).digest('hex').slice(0, 16);
  const own = apiServer.some((arg) => nameOf(arg) === 'etcd-prefix') ? {} : { 'etcd-prefix': `/clusters/${hash}` };
  if (cluster.etcd?.external !== undefined) return own;
  const { url, caFile, certFile, keyFile } = etcd;
  return { ...own, 'etcd-servers': url, 'etcd-cafile': caFile, 'etcd-certfile': certFile, 'etcd-keyfile': keyFile };
}

function endpointOf(text: string): Seat['endpoint'] {
  const { hostname: host, port } = new URL(`https://${text}`);
  if (!/^(127\.[\d.]+|localhost)$/.test(host)) {
    throw new InvalidUserData(`a cluster of the lab has its endpoint on 127.0.0.1, not on ${host}`);
  }
  return { host, port: port === '' ? 443 : Number(port) };
}
