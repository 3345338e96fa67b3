import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlreadyExists, isNotFound, type Kube } from '../../../kube/client.ts';
import type { NodeRegistration } from '../user-data/kubeadm-config.ts';
import { mirrorPod, runningStatus, type StaticPod } from './static-pods.ts';

/** The interval of real kubelets; a cluster's controllers consider a Node lost after a few missed renewals. */
const RENEW_MS = 10_000;
const LEASE_SECONDS = 40;

export interface KubeletOptions {
  readonly kube: Kube;
  readonly name: string;
  readonly registration: NodeRegistration;
  /** Version of the kubelet: `v1.34.4`. */
  readonly version: string;
  readonly systemUuid: string;
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly capacity: { readonly cpu: number; readonly memoryMiB: number };
  readonly staticPods: readonly StaticPod[];
  readonly signal: AbortSignal;
  /** Called with errors that will be retried. */
  readonly warn: (error: unknown, what: string) => void;
}

const nodeSchema = z.looseObject({ metadata: z.looseObject({ uid: z.string() }) });

/** Registers the Node with the settings in its arguments, and reports it ready and its static Pods running. */
export async function registerKubelet(options: KubeletOptions): Promise<void> {
  const { kube, name, staticPods, signal } = options;
  const path = `/api/v1/nodes/${name}`;
  await createUnlessThere(kube, '/api/v1/nodes', nodeObject(options), signal);
  await kube.request({
    method: 'PATCH',
    path: `${path}/status`,
    contentType: 'application/strategic-merge-patch+json',
    body: { status: nodeStatus(options) },
    signal,
  });
  const { metadata } = nodeSchema.parse(await kube.request({ path, signal }));
  for (const pod of staticPods) {
    const mirror = mirrorPod(pod, { name, uid: metadata.uid });
    const pods = '/api/v1/namespaces/kube-system/pods';
    await createUnlessThere(kube, pods, mirror, signal);
    await kube.request({
      method: 'PATCH',
      path: `${pods}/${mirror.metadata.name}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { status: runningStatus() },
      signal,
    });
  }
}

/**
 * Writes the Node's status at the interval of the argument `node-status-update-frequency`; without it the lease is
 * enough, which is renewed anyway.
 */
export async function keepReporting(options: KubeletOptions): Promise<void> {
  const { kube, name, registration, signal, warn } = options;
  const seconds = Number(/^(\d+)s$/.exec(registration.kubeletExtraArgs['node-status-update-frequency'] ?? '')?.[1]);
  while (seconds > 0) {
    await sleep(seconds * 1_000, undefined, { signal });
    try {
      await kube.request({
        method: 'PATCH',
        path: `/api/v1/nodes/${name}/status`,
        contentType: 'application/strategic-merge-patch+json',
        body: { status: nodeStatus(options) },
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      warn(error, 'reporting the status of the Node failed');
    }
  }
}

/** Renews the Node's lease until halted; continues when the cluster does not answer. */
export async function keepAlive({ kube, name, signal, warn }: KubeletOptions): Promise<never> {
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  for (;;) {
    const spec = { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime: microTime() };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec };
    try {
      await kube.patch(`${leases}/${name}`, { spec }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return kube.request({ method: 'POST', path: leases, body: lease, signal });
      });
    } catch (error) {
      signal.throwIfAborted();
      warn(error, 'renewing the lease of the Node failed');
    }
    await sleep(RENEW_MS, undefined, { signal });
  }
}

async function createUnlessThere(kube: Kube, path: string, body: object, signal: AbortSignal): Promise<void> {
  await kube.request({ method: 'POST', path, body, signal }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

function nodeObject({ name, registration }: KubeletOptions): object {
  const { 'node-labels': labels = '', 'provider-id': providerID } = registration.kubeletExtraArgs;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labelsIn(labels),
      },
    },
    spec: {
      ...(providerID === undefined ? {} : { providerID }),
      ...(registration.taints == null ? {} : { taints: registration.taints }),
    },
  };
}

/** `a=b,c=d`, as in the kubelet's argument. */
const labelsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .map((pair) => pair.trim())
      .filter((pair) => pair !== '')
      .map((pair) => {
        const [key = '', ...value] = pair.split('=');
        return [key, value.join('=')] as const;
      }),
  );

function nodeStatus({ addresses, capacity, version, systemUuid }: KubeletOptions): object {
  const now = new Date().toISOString();
  const condition = (type: string, status: string, reason: string): object => ({
    type,
    status,
    reason,
    message: 'reported by the simulated kubelet',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const resources = { cpu: String(capacity.cpu), memory: `${capacity.memoryMiB}Mi`, pods: '110' };
  return {
    addresses,
    capacity: resources,
    allocatable: resources,
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
      condition('Ready', 'True', 'KubeletReady'),
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: systemUuid,
      containerRuntimeVersion: 'containerd://2.1.0',
      kernelVersion: '6.12.0',
      kubeProxyVersion: '',
      kubeletVersion: version,
      machineID: systemUuid.replaceAll('-', ''),
      operatingSystem: 'linux',
      osImage: 'Temper Lab Linux',
      systemUUID: systemUuid,
    },
  };
}

const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
