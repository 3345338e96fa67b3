import { readFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import { isAlreadyExists } from '../../../kube/client.ts';
import { collectionPath, nodePath, objectPath } from '../../../kube/paths.ts';
import { fixtureHost, fixtureSecret } from './fixture.ts';
import { type AnyLab, apply, type Host, hostIn, NAMESPACE, secret } from './hosts.ts';
import { KINDS } from './kinds.ts';

/** Machines written by the test, without Cluster API. */

export { KINDS };

export type KindName = keyof typeof KINDS;

const object = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    finalizers: z.array(z.string()).default([]),
  }),
  spec: z.looseObject({}).default({}),
  status: z
    .looseObject({
      conditions: z
        .array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() }))
        .default([]),
    })
    .prefault({}),
});
export type AnyObject = z.infer<typeof object>;

export const PATIENCE = { timeout: 600_000, interval: 250 };

export async function create(
  { kube }: Pick<AnyLab, 'kube'>,
  kind: KindName,
  name: string,
  { metadata = {}, status, ...rest }: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
): Promise<AnyObject> {
  const { apiVersion, kind: word } = KINDS[kind];
  const body = { apiVersion, kind: word, metadata: { name, namespace: NAMESPACE, ...metadata }, ...rest };
  const made = object.parse(await kube.request({ method: 'POST', path: collectionPath(KINDS[kind], NAMESPACE), body }));
  return status === undefined ? made : object.parse(await kube.patch(`${pathOf(kind, name)}/status`, { status }));
}

export const pathOf = (kind: KindName, name: string): string => objectPath(KINDS[kind], { namespace: NAMESPACE, name });

export async function get(
  { kube }: Pick<AnyLab, 'kube'>,
  kind: KindName,
  name: string,
): Promise<AnyObject | undefined> {
  const found = await kube.find(pathOf(kind, name));
  return found === undefined ? undefined : object.parse(found);
}

export async function list({ kube }: Pick<AnyLab, 'kube'>, kind: KindName): Promise<readonly AnyObject[]> {
  const answer = await kube.request({ path: collectionPath(KINDS[kind], NAMESPACE) });
  return z.object({ items: z.array(object) }).parse(answer).items;
}

export const patch = (
  { kube }: Pick<AnyLab, 'kube'>,
  kind: KindName,
  name: string,
  body: object,
  sub = '',
): Promise<unknown> => kube.patch(`${pathOf(kind, name)}${sub}`, body);

export const remove = ({ kube }: Pick<AnyLab, 'kube'>, kind: KindName, name: string): Promise<unknown> =>
  kube.request({ method: 'DELETE', path: pathOf(kind, name) });

/** Waits until the object shows this. */
export const expectToShow = (
  lab: Pick<AnyLab, 'kube'>,
  kind: KindName,
  name: string,
  what: object,
): Promise<AnyObject> =>
  vi.waitFor(async () => {
    const found = await get(lab, kind, name);
    expect(found).toMatchObject(what);
    return found as AnyObject;
  }, PATIENCE);
/** Resolves when the status of the object is that of its present spec, so that no write for an older one follows. */
export const expectUpToDate = (lab: Pick<AnyLab, 'kube'>, kind: KindName, name: string): Promise<void> =>
  vi.waitFor(async () => {
    const { metadata, status } = (await get(lab, kind, name)) ?? {};
    const observed = (status?.conditions ?? []).map(({ observedGeneration }) => observedGeneration);
    expect(new Set(observed)).toEqual(new Set([metadata?.['generation']]));
  }, PATIENCE);
export const expectGone = (lab: Pick<AnyLab, 'kube'>, kind: KindName, name: string): Promise<void> =>
  vi.waitFor(async () => expect(await get(lab, kind, name)).toBeUndefined(), PATIENCE);

/** A condition as a short text, `False Reason: message`; '' while there is none. */
export async function conditionOf(
  lab: Pick<AnyLab, 'kube'>,
  kind: KindName,
  name: string,
  type: string,
): Promise<string> {
  const found = (await get(lab, kind, name))?.status.conditions.find((condition) => condition.type === type);
  if (found === undefined) return '';
  return `${found.status} ${found.reason}${found.message === '' ? '' : `: ${found.message}`}`;
}

/**
 * A Cluster whose infrastructure is ready, with its Metal3Cluster and a kubeconfig: the lab's own API server also
 * serves as that of the workload cluster.
 */
export async function aCluster(lab: AnyLab, name: string, annotations: object = {}): Promise<void> {
  const cluster = await create(lab, 'cluster', name, {
    spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Cluster', name } },
    status: { deprecated: { v1beta1: { conditions: [condition('InfrastructureReady')] } } },
  });
  await create(lab, 'metal3Cluster', name, {
    metadata: { annotations, labels: inCluster(name), ownerReferences: [ownedBy('cluster', cluster)] },
    spec: { controlPlaneEndpoint: { host: '127.0.0.1', port: 6443 }, cloudProviderEnabled: false },
  });
  await apply(lab, secret(`${name}-kubeconfig`, { value: await readFile(lab.endpoints.kubeconfig, 'utf8') }));
}

const condition = (type: string): object => ({
  type,
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const inCluster = (name: string) => ({ 'cluster.x-k8s.io/cluster-name': name });

export const ownedBy = (kind: KindName, { metadata }: AnyObject): object => ({
  apiVersion: KINDS[kind].apiVersion,
  kind: KINDS[kind].kind,
  name: metadata.name,
  uid: metadata.uid,
  controller: true,
});

export const IMAGE = {
  url: 'http://images/a.raw',
  checksum: 'http://images/a.raw.sha256',
  checksumType: 'sha256',
  diskFormat: 'raw',
};

export interface MachineWish {
  readonly spec?: object;
  readonly machine?: { readonly metadata?: object; readonly spec?: object };
  readonly metadata?: object;
}

/** A Machine with its bootstrap Secret and its Metal3Machine, both with this name; what exists of them is kept. */
export async function aMachine(lab: AnyLab, cluster: string, name: string, wish: MachineWish = {}): Promise<void> {
  const labels = inCluster(cluster);
  const boot = { value: '#cloud-config', format: 'cloud-config' };
  await unlessExisting(
    lab.kube.request({
      method: 'POST',
      path: collectionPath({ apiVersion: 'v1', plural: 'secrets' }, NAMESPACE),
      body: secret(`${name}-boot`, boot),
    }),
  );
  await unlessExisting(
    create(lab, 'machine', name, {
      metadata: { labels, ...wish.machine?.metadata },
      spec: {
        clusterName: cluster,
        bootstrap: {
          dataSecretName: `${name}-boot`,
          configRef: { apiGroup: 'bootstrap', kind: 'KubeadmConfig', name },
        },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Metal3Machine', name },
        ...wish.machine?.spec,
      },
    }),
  );
  const status = { deprecated: { v1beta1: { conditions: [condition('BootstrapReady')] } } };
  const machine = object.parse(await patch(lab, 'machine', name, { status }, '/status'));
  await unlessExisting(
    create(lab, 'metal3Machine', name, {
      metadata: { labels, ownerReferences: [ownedBy('machine', machine)], ...wish.metadata },
      spec: { image: IMAGE, ...wish.spec },
    }),
  );
}

async function unlessExisting(creation: Promise<unknown>): Promise<void> {
  await creation.catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}

/** An available host of the fixture; only a machine that selects it claims it. */
export async function aFreeHost(
  lab: AnyLab,
  name: string,
  { labels = {}, annotations = {} }: { readonly labels?: object; readonly annotations?: object } = {},
): Promise<Host> {
  const { metadata, ...host } = fixtureHost(name, {}, annotations) as { metadata: object };
  const login = secret(`${name}-bmc`, { username: 'admin', password: 'password' });
  await apply(lab, login, { ...host, metadata: { ...metadata, labels: { for: name, ...labels } } });
  return hostIn(lab, name, 'available');
}
/** A host that is not inspected, and a machine on it, without waiting for either. */
export async function aHostWithMachine(lab: AnyLab, cluster: string, name: string, spec: object = {}): Promise<void> {
  const { metadata, ...host } = fixtureHost(name, { inspectionMode: 'disabled' }) as { metadata: object };
  await apply(lab, fixtureSecret(name), { ...host, metadata: { ...metadata, labels: { for: name } } });
  await aMachine(lab, cluster, name, { spec: { ...on(name), ...spec } });
}

/** A Metal3Machine that has this host. */
export const hasHost = (host: string): object => ({
  metadata: { annotations: { 'metal3.io/BareMetalHost': `${NAMESPACE}/${host}` } },
});

/** Selects that host. */
export const on = (host: string): object => ({ hostSelector: { matchLabels: { for: host } } });

/** A Node of the workload cluster. */
export const aNode = ({ kube }: AnyLab, name: string, labels: object, spec: object = {}): Promise<unknown> =>
  kube.request({
    method: 'POST',
    path: nodePath(),
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec },
  });

/** Links a Machine with its Node, as Cluster API does. */
export const linkNode = (lab: AnyLab, machine: string, node: string): Promise<unknown> =>
  patch(lab, 'machine', machine, { status: { nodeRef: { name: node } } }, '/status');

const node = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ providerID: z.string().default('') }),
});
export const getNode = async ({ kube }: AnyLab, name: string): Promise<z.infer<typeof node>> =>
  node.parse(await kube.request({ path: nodePath(name) }));
