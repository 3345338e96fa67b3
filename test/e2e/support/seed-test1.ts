import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { objectPath, secretPath } from '../../../kube/paths.ts';
import { hostRelocations } from '../../../lab/hosts/examples.ts';
import { readManifests, type StoryManifest } from '../../../lab/hosts/manifests.ts';
import { allocatePorts } from '../../../lab/supervisor/ports.ts';
import type { TestLab } from './lab.ts';
import { joinLab } from './place/join.ts';

/** The cluster `test1` of the project's first documents, as in `examples/`. */

const example = (name: string): string => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

export const NAMESPACE = 'metal3';
export const CLUSTER = 'test1';
export const MACHINE = 'test1-controlplane-0';
export const HOST = 'node-1';

/** Addresses of the machine, in the order of the documents. */
export const ADDRESSES = [
  { type: 'InternalIP', address: '172.22.0.10' },
  { type: 'InternalIP', address: '192.168.111.21' },
  { type: 'Hostname', address: HOST },
  { type: 'InternalDNS', address: HOST },
];

/** The cluster's port in the example. */
const WRITTEN = 26443;

export interface Story {
  readonly lab: TestLab;
  readonly manifests: readonly StoryManifest[];
  /** The cluster's endpoint in this lab. */
  readonly endpoint: { readonly host: string; readonly port: number };
}

/** A lab with the one machine of the documents, and the example with the lab's addresses. */
export async function aSeedLab(): Promise<Story> {
  const lab = await joinLab({
    machines: [HOST],
    namespaces: [NAMESPACE],
    temperEnv: { PROVIDER_ID_FORMAT: 'uid' },
  });
  const { port } = (await allocatePorts({ port: {} })).ports;
  const manifests = readManifests(example('seed-test1.yaml'), [
    ...hostRelocations(lab.endpoints),
    { from: `port: ${WRITTEN}`, to: `port: ${port}` },
  ]);
  return { lab, manifests, endpoint: { host: '127.0.0.1', port } };
}

const CAPI = 'cluster.x-k8s.io';

/** Kinds of the story; those of Cluster API in both of their versions. */
const PLURALS = {
  Cluster: [CAPI, 'clusters'],
  Machine: [CAPI, 'machines'],
  Metal3Cluster: [`infrastructure.${CAPI}`, 'metal3clusters'],
  Metal3Machine: [`infrastructure.${CAPI}`, 'metal3machines'],
  Metal3MachineTemplate: [`infrastructure.${CAPI}`, 'metal3machinetemplates'],
  Metal3DataTemplate: [`infrastructure.${CAPI}`, 'metal3datatemplates'],
  Metal3DataClaim: [`infrastructure.${CAPI}`, 'metal3dataclaims'],
  Metal3Data: [`infrastructure.${CAPI}`, 'metal3datas'],
  KubeadmConfig: [`bootstrap.${CAPI}`, 'kubeadmconfigs'],
  KubeadmConfigTemplate: [`bootstrap.${CAPI}`, 'kubeadmconfigtemplates'],
  BareMetalHost: ['metal3.io', 'baremetalhosts'],
} as const;
export type StoryKind = keyof typeof PLURALS;

const seen = z.looseObject({
  metadata: z.looseObject({
    uid: z.string(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string() })).default([]),
  }),
  spec: z.looseObject({}).default({}),
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string() })).default([]) }).prefault({}),
});
export type Seen = z.infer<typeof seen>;

/** An owner in Cluster API's format; `CONTROLLER` for a controller reference. */
export const ownedBy = (kind: StoryKind, { metadata }: Seen, name: string, more: object = {}): object => ({
  apiVersion: `${CAPI}/v1beta2`,
  kind,
  name,
  uid: metadata.uid,
  ...more,
});
export const CONTROLLER = { controller: true, blockOwnerDeletion: true };

interface Where {
  readonly namespace?: string;
  readonly version?: 'v1beta1' | 'v1beta2';
}

/** An object of the story; undefined when it does not exist. */
export async function find(
  { kube }: Pick<TestLab, 'kube'>,
  kind: StoryKind,
  name: string,
  { namespace = NAMESPACE, version = 'v1beta2' }: Where = {},
): Promise<Seen | undefined> {
  const [group, plural] = PLURALS[kind];
  const apiVersion = `${group}/${kind === 'BareMetalHost' ? 'v1alpha1' : version}`;
  const found = await kube.find(objectPath({ apiVersion, plural }, { namespace, name }));
  return found === undefined ? undefined : seen.parse(found);
}

export async function read(
  lab: Pick<TestLab, 'kube'>,
  kind: StoryKind,
  name: string,
  where: Where = {},
): Promise<Seen> {
  const found = await find(lab, kind, name, where);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

/** Types of conditions with their status, as `Ready=True`. */
export const conditionsOf = ({ status }: Seen): readonly string[] =>
  status.conditions.map(({ type, status: is }) => `${type}=${String(is)}`);

const secretSchema = z.looseObject({
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ kind: z.string() })).default([]) }),
  type: z.string(),
  data: z.record(z.string(), z.string()),
});

export async function secretOf(
  { kube }: Pick<TestLab, 'kube'>,
  name: string,
): Promise<{
  readonly type: string;
  readonly owners: readonly string[];
  readonly data: Readonly<Record<string, string>>;
}> {
  const path = secretPath({ namespace: NAMESPACE, name });
  const { metadata, type, data } = secretSchema.parse(await kube.request({ path }));
  return {
    type,
    owners: metadata.ownerReferences.map(({ kind }) => kind),
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
    ),
  };
}

const userDataSchema = z.object({
  write_files: z.array(z.looseObject({ path: z.string(), content: z.string() })),
  runcmd: z.array(z.string()),
});

/** The part of user data that the test reads: files by path, and commands. */
export function readUserData(text: string): { readonly files: ReadonlyMap<string, string>; readonly runcmd: string[] } {
  const [document] = parseAllDocuments(text);
  const { write_files, runcmd } = userDataSchema.parse(document?.toJS());
  return { files: new Map(write_files.map(({ path, content }) => [path, content])), runcmd };
}

/** The documents of a kubeadm configuration file, by kind. */
export const documentsIn = (text: string): Readonly<Record<string, object>> =>
  Object.fromEntries(
    parseAllDocuments(text).map((document) => {
      const value = document.toJS() as { readonly kind: string };
      return [value.kind, value];
    }),
  );

/** Templates that no MachineDeployment references. */
export const unusedTemplates = (): readonly object[] => {
  const metadata = { name: `${CLUSTER}-workers`, namespace: NAMESPACE };
  const [infrastructure, bootstrap] = [`infrastructure.${CAPI}/v1beta2`, `bootstrap.${CAPI}/v1beta2`];
  const image = { url: 'http://127.0.0.1/a.raw', checksum: 'http://127.0.0.1/a.raw.sha256' };
  return [
    {
      apiVersion: infrastructure,
      kind: 'Metal3MachineTemplate',
      metadata,
      spec: { template: { spec: { image } } },
    },
    {
      apiVersion: bootstrap,
      kind: 'KubeadmConfigTemplate',
      metadata,
      spec: { template: { spec: { preKubeadmCommands: ['true'] } } },
    },
  ];
};

export const INFRASTRUCTURE = `infrastructure.${CAPI}`;

/** The host and its Secret. */
export const isOfHost = ({ kind, metadata }: StoryManifest): boolean =>
  kind === 'BareMetalHost' || metadata.name === 'node-1-bmc-secret';

/** A reference of Cluster API to one of our objects. */
export const ofInfrastructure = (kind: StoryKind, name: string): object => ({ apiGroup: INFRASTRUCTURE, kind, name });

/** Objects that are deleted with the Cluster. */
export const GOES: readonly (readonly [StoryKind, string])[] = [
  ['Machine', MACHINE],
  ['Metal3Machine', MACHINE],
  ['KubeadmConfig', MACHINE],
  ['Metal3Cluster', CLUSTER],
  ['Metal3DataClaim', MACHINE],
  ['Metal3Data', 'test1-workers-template-0'],
];

/** Objects that stay when it is deleted. */
export const STAYS: readonly (readonly [StoryKind, string])[] = [
  ['Metal3DataTemplate', 'test1-workers-template'],
  ['Metal3MachineTemplate', 'test1-workers'],
  ['KubeadmConfigTemplate', 'test1-workers'],
  ['BareMetalHost', HOST],
];
