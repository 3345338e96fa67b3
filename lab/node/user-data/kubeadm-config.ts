import { parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';

/** The machine's user data is wrong: a retry cannot help. */
export class InvalidUserData extends Error {
  override readonly name = 'Refused';
}

/** Extra arguments are a list since v1beta4; before they were a map. */
const args = z
  .union([
    z
      .array(z.object({ name: z.string(), value: z.string() }))
      .transform((list) => Object.fromEntries(list.map(({ name, value }) => [name, value]))),
    z.record(z.string(), z.string()),
  ])
  .nullish()
  .transform((found): Readonly<Record<string, string>> => found ?? {});

const taint = z.object({ key: z.string(), value: z.string().optional(), effect: z.string() });

const nodeRegistration = z
  .looseObject({ name: z.string().default(''), kubeletExtraArgs: args, taints: z.array(taint).nullish() })
  .prefault({});
export type NodeRegistration = z.infer<typeof nodeRegistration>;

const localApiEndpoint = z.looseObject({ advertiseAddress: z.string().optional() }).optional();

const cluster = z.looseObject({
  kind: z.literal('ClusterConfiguration'),
  clusterName: z.string().default('kubernetes'),
  controlPlaneEndpoint: z.string(),
  kubernetesVersion: z.string(),
  etcd: z.looseObject({ external: z.looseObject({ endpoints: z.array(z.string()) }).optional() }).optional(),
});
export type ClusterConfiguration = z.infer<typeof cluster>;

const init = z.looseObject({
  kind: z.literal('InitConfiguration'),
  nodeRegistration,
  localAPIEndpoint: localApiEndpoint,
});

const join = z.looseObject({
  apiVersion: z.string(),
  kind: z.literal('JoinConfiguration'),
  nodeRegistration,
  controlPlane: z.looseObject({ localAPIEndpoint: localApiEndpoint }).nullish(),
  discovery: z.looseObject({
    bootstrapToken: z.looseObject({
      apiServerEndpoint: z.string(),
      token: z.string(),
      caCertHashes: z.array(z.string()).nullish(),
      unsafeSkipCAVerification: z.boolean().optional(),
    }),
  }),
});
export type JoinConfiguration = z.infer<typeof join>;

type Document = Readonly<Record<string, unknown>>;

/** The documents of a kubeadm configuration file, including unknown ones. */
export const readDocuments = (text: string): readonly Document[] =>
  parseAllDocuments(text).flatMap((document) => {
    const value = document.toJS() as Document | null;
    return value === null ? [] : [value];
  });

export const writeDocuments = (documents: readonly Document[]): string =>
  documents.map((document) => stringify(document)).join('---\n');

export const clusterConfigurationIn = (documents: readonly Document[]): ClusterConfiguration =>
  cluster.parse(ofKind(documents, 'ClusterConfiguration'));

/** The node registration of InitConfiguration; empty when it is missing, as kubeadm then uses a default. */
export const initNodeIn = (documents: readonly Document[]): NodeRegistration =>
  init.parse(ofKind(documents, 'InitConfiguration') ?? { kind: 'InitConfiguration' }).nodeRegistration;

export const joinConfigurationIn = (documents: readonly Document[]): JoinConfiguration =>
  join.parse(ofKind(documents, 'JoinConfiguration'));

const ofKind = (documents: readonly Document[], kind: string): Document | undefined =>
  documents.find((document) => document['kind'] === kind);

/** Values that kubeadm detects on a real machine and cannot detect on a simulated one. */
interface Found {
  readonly address: string;
  /** The folder in which the certificates really are. */
  readonly certificatesDir?: string;
}

/**
 * The configuration of `kubeadm init`, completed with the values that kubeadm would detect; a missing InitConfiguration
 * is added.
 */
export function completeInit(documents: readonly Document[], { address, certificatesDir }: Found): readonly Document[] {
  const found = ofKind(documents, 'InitConfiguration');
  const apiVersion = ofKind(documents, 'ClusterConfiguration')?.['apiVersion'];
  const initial: Document = found ?? { apiVersion, kind: 'InitConfiguration' };
  const endpoint = { advertiseAddress: address, ...definedOf(initial['localAPIEndpoint']) };
  const completed = documents.map((document) =>
    document['kind'] === 'ClusterConfiguration' && certificatesDir !== undefined
      ? { ...document, certificatesDir }
      : document,
  );
  return [...completed.filter((document) => document !== found), { ...initial, localAPIEndpoint: endpoint }];
}

/**
 * The configuration with which an additional control plane runs the steps that `kubeadm init` and `kubeadm join` have
 * in common.
 */
export function initForJoin(clusterConfiguration: Document, joining: readonly Document[]): readonly Document[] {
  // Kept as written, because its format differs between versions.
  const { apiVersion, nodeRegistration: registration, controlPlane } = ofKind(joining, 'JoinConfiguration') ?? {};
  const { localAPIEndpoint } = definedOf(controlPlane);
  return [
    clusterConfiguration,
    {
      apiVersion,
      kind: 'InitConfiguration',
      ...(registration === undefined ? {} : { nodeRegistration: registration }),
      ...(localAPIEndpoint === undefined ? {} : { localAPIEndpoint }),
    },
  ];
}

const definedOf = (value: unknown): Document =>
  typeof value === 'object' && value !== null ? (value as Document) : {};
