import type { Manifest } from '../control-plane/manifest.ts';
import type { Service } from '../service.ts';
import { until } from '../supervisor/wait.ts';
import { HOST, TEMPORAL } from './addresses.ts';
import { accepts } from './control-plane.ts';

/** The servers that run on the computer itself, and the objects by which Pods find them. */

const NAME = `${TEMPORAL.name}.${TEMPORAL.namespace}.svc.cluster.local`;

/** Knows the one Service whose name Pods use, and says at once that other names do not exist. */
export const dns = (): Service => ({
  name: 'dnsmasq',
  command: 'dnsmasq',
  args: [
    '--keep-in-foreground',
    '--conf-file=/dev/null',
    '--pid-file=',
    '--user=root',
    '--no-hosts',
    '--no-resolv',
    '--bind-interfaces',
    '--except-interface=lo',
    `--listen-address=${HOST}`,
    `--host-record=${NAME},${TEMPORAL.clusterIp}`,
    '--local=/#/',
  ],
  ready: (signal) => until('dnsmasq', () => accepts(HOST, 53), signal),
});

/** Temporal's development server works on 127.0.0.1 alone. */
export const temporalRelay = (port: number): Service => ({
  name: 'temporal-relay',
  command: 'socat',
  args: [`TCP-LISTEN:${TEMPORAL.port},bind=${HOST},fork,reuseaddr`, `TCP:127.0.0.1:${port}`],
  ready: (signal) => until('temporal-relay', () => accepts(HOST, TEMPORAL.port), signal),
});

const { namespace, name, clusterIp, port } = TEMPORAL;
const PORT = { name: 'grpc', port } as const;

export const OBJECTS: readonly Manifest[] = [
  // kubeadm's administrators. The API server is one of them, when it asks a kubelet for logs.
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'kubeadm:cluster-admins' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'kubeadm:cluster-admins' }],
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec: { clusterIP: clusterIp, ports: [PORT] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { namespace, name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [PORT],
    endpoints: [{ addresses: [HOST], conditions: { ready: true } }],
  },
] as readonly (Manifest & object)[];
