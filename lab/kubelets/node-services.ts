import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import type { Programs } from '../binaries/programs.ts';
import { KUBELET } from '../node/kubeadm.ts';
import type { Service } from '../service.ts';
import { until } from '../supervisor/wait.ts';
import type { KubeletNode } from './addresses.ts';
import { inNode, NODE_ENVIRONMENT, runOnNode } from './namespaces.ts';
import { CONTAINERD_CONFIG, KUBELET_CONFIG, PROXY_CONFIG } from './node-files.ts';

/** The same service in the namespaces of a node. */
export function onNode(holder: number, service: Service): Service {
  const [command, ...args] = inNode(holder, [service.command, ...service.args]);
  return { ...service, command, args, env: NODE_ENVIRONMENT };
}

export const containerd = (node: KubeletNode, holder: number): Service => ({
  name: `containerd-${node.name}`,
  command: 'containerd',
  args: [`--config=${CONTAINERD_CONFIG}`],
  ready: (signal) => until(`containerd of ${node.name}`, () => ctr(holder, 'version'), signal),
});

/** Loads the images of an OCI archive. */
export const loadImages = (holder: number, archive: string): Promise<unknown> =>
  ctr(holder, 'images', 'import', archive);

/** Gives an image a second name. */
export const tagImage = (holder: number, image: string, name: string): Promise<unknown> =>
  ctr(holder, 'images', 'tag', image, name);

const ctr = (holder: number, ...args: readonly string[]): Promise<string> =>
  runOnNode(holder, ['ctr', '--namespace=k8s.io', ...args]);

export const kubelet = async (node: KubeletNode, kube: Kube, get: Programs): Promise<Service> => ({
  name: `kubelet-${node.name}`,
  command: await get('kubelet'),
  args: [
    `--config=${KUBELET_CONFIG}`,
    `--kubeconfig=${KUBELET}`,
    `--hostname-override=${node.name}`,
    `--node-ip=${node.address}`,
  ],
  ready: (signal) => until(node.name, () => askReady(kube, node), signal),
});

const reported = z.object({
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().default('') })),
  }),
});

async function askReady(kube: Kube, { name }: KubeletNode): Promise<void> {
  const { status } = reported.parse(await kube.request({ path: `/api/v1/nodes/${name}` }));
  const ready = status.conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') throw new Error(ready?.message ?? 'it has no condition Ready');
}

export const kubeProxy = async (node: KubeletNode, get: Programs): Promise<Service> => ({
  name: `kube-proxy-${node.name}`,
  command: await get('kube-proxy'),
  args: [`--config=${PROXY_CONFIG}`],
  // The first Pods that use a Service show whether it works.
  ready: () => Promise.resolve(),
});
