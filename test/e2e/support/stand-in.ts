import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { apply, editHost, getHost, kubectl, NAMESPACE, secret } from './hosts.ts';
import type { TestLab } from './lab.ts';

/**
 * An infrastructure provider of Cluster API that is none of ours: its kinds have no fields of their own, and hosts are
 * filled as a person would. Gone when Metal3Machines can do the same.
 */
const GROUP = 'infrastructure.cluster.x-k8s.io';
const KINDS = ['StandInCluster', 'StandInMachine', 'StandInMachineTemplate'] as const;
type Kind = (typeof KINDS)[number];

const pluralOf = (kind: Kind): string => `${kind.toLowerCase()}s`;

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const crdOf = (kind: Kind): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${pluralOf(kind)}.${GROUP}`, labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' } },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind, plural: pluralOf(kind), singular: kind.toLowerCase() },
    versions: [
      {
        name: 'v1beta2',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
});

export const standIn = (kind: Kind, name: string, spec: object = {}): object => ({
  apiVersion: `${GROUP}/v1beta2`,
  kind,
  metadata: { name, namespace: NAMESPACE },
  spec,
});

export const standInRef = (kind: Kind, name: string): object => ({ apiGroup: GROUP, kind, name });

export async function installStandIn(lab: TestLab): Promise<void> {
  await apply(lab, ...KINDS.map(crdOf));
  await kubectl(lab, ['wait', '--for=condition=Established', ...KINDS.map((kind) => `crd/${pluralOf(kind)}.${GROUP}`)]);
}

const objectSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    annotations: z.record(z.string(), z.string()).default({}),
    deletionTimestamp: z.string().optional(),
    ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string() })).default([]),
  }),
});
const listSchema = z.looseObject({ items: z.array(objectSchema) });
const machineSchema = z.looseObject({
  spec: z.looseObject({ bootstrap: z.looseObject({ dataSecretName: z.string().optional() }) }),
});

/** Goes through the provider's objects again and again until it is stopped; hosts are taken in their order. */
export function runStandIn(lab: TestLab, hosts: readonly string[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const taken = new Map<string, string>();
  const pathOf = (kind: Kind, name = ''): string =>
    `/apis/${GROUP}/v1beta2/namespaces/${NAMESPACE}/${pluralOf(kind)}${name === '' ? '' : `/${name}`}`;
  const list = async (kind: Kind): Promise<z.infer<typeof listSchema>['items']> =>
    listSchema.parse(await lab.kube.request({ path: pathOf(kind) })).items;
  const patchStatus = (kind: Kind, name: string, status: object): Promise<unknown> =>
    lab.kube.patch(`${pathOf(kind, name)}/status`, { status });

  const pass = async (): Promise<void> => {
    for (const { metadata } of await list('StandInCluster')) {
      if (metadata.ownerReferences.length === 0) continue;
      await patchStatus('StandInCluster', metadata.name, { initialization: { provisioned: true } });
    }
    for (const { metadata } of await list('StandInMachine')) await passMachine(metadata);
  };

  const passMachine = async (metadata: z.infer<typeof objectSchema>['metadata']): Promise<void> => {
    const owner = metadata.ownerReferences.find(({ kind }) => kind === 'Machine')?.name;
    if (owner === undefined || metadata.deletionTimestamp !== undefined) return;
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/machines/${owner}`;
    const data = machineSchema.parse(await lab.kube.request({ path })).spec.bootstrap.dataSecretName;
    if (data === undefined) return;
    const name = taken.get(metadata.name) ?? hosts.find((host) => ![...taken.values()].includes(host));
    if (name === undefined) return;
    if (!taken.has(metadata.name)) {
      taken.set(metadata.name, name);
      await deployNode(lab, name, { name: owner, dataSecretName: data });
    }
    const host = await getHost(lab, name);
    if (host?.status.provisioning.state !== 'provisioned') return;
    await lab.kube.patch(pathOf('StandInMachine', metadata.name), {
      spec: { providerID: providerId(host.metadata.uid) },
    });
    await patchStatus('StandInMachine', metadata.name, { initialization: { provisioned: true } });
  };

  let failure: unknown;
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // As with every controller, what did not work is tried again in the next pass.
      failure = await pass().then(
        () => undefined,
        (error: unknown) => error,
      );
      await sleep(300, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      if (failure !== undefined) throw new Error('the last pass of the stand-in failed', { cause: failure });
    },
  };
}

export const providerId = (uid: string): string => `stand-in://${uid}`;

/** Deploys a host with bootstrap data; the machine finds its name and uid in its metadata. */
export async function deployNode(
  lab: TestLab,
  host: string,
  { name, dataSecretName }: { readonly name: string; readonly dataSecretName: string },
): Promise<void> {
  const found = await getHost(lab, host);
  const metaData = `${host}-metadata`;
  await apply(lab, secret(metaData, { metaData: JSON.stringify({ name, uuid: found?.metadata.uid }) }));
  await editHost(lab, host, {
    image: lab.endpoints.testImage,
    userData: { name: dataSecretName, namespace: NAMESPACE },
    metaData: { name: metaData, namespace: NAMESPACE },
  });
}
