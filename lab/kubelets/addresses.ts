/** The addresses of the cluster, the same on every computer: no other network there may use 10.240.0.0 to 10.242.255.255. */

/** The computer itself, where Temporal and the DNS server run. */
export const HOST = '10.240.0.1';

/** Node 1 has the control plane. */
export const NODES = [
  { name: 'node1', address: '10.240.0.11', pods: '10.241.1.0/24' },
  { name: 'node2', address: '10.240.0.12', pods: '10.241.2.0/24' },
] as const;
export type KubeletNode = (typeof NODES)[number];

export const PODS = '10.241.0.0/16';
export const SERVICES = '10.242.0.0/16';
export const API_SERVER = { host: NODES[0].address, port: 6443 } as const;

/** The Service of Temporal; its name is in the DNS server. */
export const TEMPORAL = {
  namespace: 'temporal',
  name: 'temporal-frontend',
  clusterIp: '10.242.0.20',
  port: 7233,
} as const;
