import { createHash } from 'node:crypto';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { configMapPath, nodePath } from '../../../kube/paths.ts';
import { applyCrds } from '../../../lab/control-plane/custom-resources.ts';
import { IS_NIGHT } from '../../at-night.ts';
import { serveKinds } from '../../builders/throw-away-kinds.ts';
import type { TestFixtureLab } from './fixture.ts';
import { type AnyLab, type Host, inspectedByOthers, NAMESPACE } from './hosts.ts';
import { KINDS } from './kinds.ts';
import { aFreeHost, on, PATIENCE } from './machines.ts';
import { joinFixtureLab } from './place/join.ts';
import { QUICK_FIXTURE } from './place/quick-fixture.ts';

/** Machines of the Machine API in a lab with the fixture. */

const CRDS = new URL('../../../crds/machine-api', import.meta.url).pathname;
/** With these settings of bridge and workers besides those of a quick fixture. */
export async function joinMachineApiLab(settings: Readonly<Record<string, string>>): Promise<TestFixtureLab> {
  const lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, ...settings } });
  await serveMachineApi(lab);
  return lab;
}

export async function serveMachineApi({ endpoints, kube }: AnyLab): Promise<void> {
  await applyCrds(endpoints.kubeconfig, CRDS, AbortSignal.timeout(PATIENCE.timeout));
  await serveKinds(kube, [KINDS.healthCheck]);
}

export const OPENSHIFT = 'machine.openshift.io/v1beta1';
/** The annotations by which a remediation is asked for, and by which the actuator keeps the host off meanwhile. */
export const REQUESTED = 'host.metal3.io/external-remediation';
export const KEPT_OFF = 'reboot.metal3.io/capbm-requested-power-off';
export const IMAGE = { url: 'http://images/a.qcow2', checksum: 'http://images/a.qcow2.md5sum' };

/**
 * A free host with an address that no other host has. A Node is found by the address of its host in all Namespaces of
 * the API server, which other tests use at the same time, and all machines of the fixture have the same.
 */
export function aFreeHostOfItsAddress(
  lab: TestFixtureLab,
  name: string,
  { labels = {} }: { readonly labels?: object } = {},
): Promise<Host> {
  const [a, b, c, d] = createHash('sha256').update(`${NAMESPACE}/${name}`).digest('hex').match(/.{4}/g) ?? [];
  const nics = [{ name: 'eth0', ip: `fd00::${a}:${b}:${c}:${d}`, mac: '52:54:00:00:00:01' }];
  return aFreeHost(lab, name, { labels, annotations: inspectedByOthers({ nics }) });
}

/** Deploys the image on the free host of this name. */
export const specFor = (host: string, more: object = {}): object => ({
  providerSpec: {
    value: {
      apiVersion: 'baremetal.cluster.k8s.io/v1alpha1',
      kind: 'BareMetalMachineProviderSpec',
      image: IMAGE,
      userData: { name: `${host}-user-data` },
      ...on(host),
      ...more,
    },
  },
});

const node = z.looseObject({
  metadata: z.looseObject({
    uid: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.looseObject({ providerID: z.string().optional() }).default({}),
});
export type Node = z.infer<typeof node>;
export const findNode = async ({ kube }: AnyLab, name: string): Promise<Node | undefined> => {
  const found = await kube.find(nodePath(name));
  return found === undefined ? undefined : node.parse(found);
};

/** A Node with an address, as its kubelet registers it. */
export async function registerNode(lab: AnyLab, name: string, ip: string, metadata: object = {}): Promise<Node> {
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, ...metadata } };
  await lab.kube.request({ method: 'POST', path: nodePath(), body });
  const addresses = [
    { type: 'InternalIP', address: ip },
    { type: 'Hostname', address: name },
  ];
  return node.parse(await lab.kube.patch(`${nodePath(name)}/status`, { status: { addresses } }));
}

export const expectNodeGone = (lab: AnyLab, name: string): Promise<void> =>
  vi.waitFor(async () => expect(await findNode(lab, name)).toBeUndefined(), PATIENCE);

/** Ends workers and bridge in the middle of what they do, and starts them again. */
export async function killBoth(lab: Pick<TestFixtureLab, 'kill' | 'start'>): Promise<void> {
  await lab.kill('workers', 'SIGKILL');
  await lab.kill('bridge', 'SIGKILL');
  await lab.start('workers');
  await lab.start('bridge');
}

/** At night: by day each new start takes some seconds of CPU time, and other stories of the Machine API have it. */
export async function killBothAtNight(lab: Parameters<typeof killBoth>[0]): Promise<void> {
  if (IS_NIGHT) await killBoth(lab);
}

/** The first address of a Machine. */
export const addressOf = (machine: { readonly status: object }): string => {
  const { addresses = [] } = machine.status as { addresses?: readonly { type: string; address: string }[] };
  return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
};

export const consumerNamed = (name: string, apiVersion: string): object => ({
  apiVersion,
  kind: 'Machine',
  name,
  namespace: NAMESPACE,
});

/** An owner reference to some object that exists: garbage collection deletes objects without owners. */
export async function anOwner({ kube }: TestFixtureLab, name: string): Promise<object> {
  const path = configMapPath({ namespace: NAMESPACE });
  const made = await kube.request({ method: 'POST', path, body: { metadata: { name: `${name}-owner` } } });
  const { uid } = readMetadata(made);
  return { apiVersion: 'v1', kind: 'ConfigMap', name: `${name}-owner`, uid, controller: true };
}
