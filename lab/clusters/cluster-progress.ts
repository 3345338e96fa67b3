import type { Identified } from '../watch-objects.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Replicas {
  readonly desiredReplicas?: number;
  readonly readyReplicas?: number;
}

/** The fields of Cluster API's Cluster (v1beta2) that show its progress. */
export interface ClusterResource extends Identified {
  readonly spec?: { readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number } };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly initialization?: { readonly controlPlaneInitialized?: boolean };
    readonly controlPlane?: Replicas;
    readonly workers?: Replicas;
  };
}

/** The same for a Machine. */
export interface MachineResource extends Identified {
  readonly metadata: Identified['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly infrastructureRef?: { readonly name?: string } };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly nodeRef?: { readonly name?: string };
  };
}

/** The same for a Metal3Machine. */
export interface Metal3MachineResource extends Identified {
  readonly metadata: Identified['metadata'] & { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly initialization?: { readonly provisioned?: boolean };
  };
}

/** The same for a Metal3Remediation, which has the name of its Machine. */
export interface RemediationResource extends Identified {
  readonly status?: { readonly phase?: string };
}

/** The same for a Node of the cluster. */
export interface NodeResource extends Identified {
  readonly metadata: Identified['metadata'] & { readonly labels?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly Condition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

/** A cluster with all its objects. */
export interface ClusterObjects {
  readonly cluster: ClusterResource | undefined;
  readonly machines: readonly MachineResource[];
  readonly metal3Machines: readonly Metal3MachineResource[];
  readonly remediations: readonly RemediationResource[];
  /** The Nodes in the cluster's own API server. */
  readonly nodes: readonly NodeResource[];
}

/** One line of the table on the terminal. */
export interface MachineProgress {
  readonly name: string;
  readonly role: 'control plane' | 'worker';
  readonly phase: string;
  readonly host: string;
  /** Kubernetes version of the Node, once the Node is ready. */
  readonly node: string;
  /** InternalIP of the Node. */
  readonly address: string;
  readonly isRemediated: boolean;
  /** What the machine waits for; '' when it waits for nothing. */
  readonly waitsFor: string;
}

export interface ClusterProgress {
  readonly phase: string;
  readonly endpoint: string;
  readonly controlPlane: string;
  readonly workers: string;
  readonly machines: readonly MachineProgress[];
  /** All desired machines exist and are healthy, and the cluster's own API server reports each Node. */
  readonly isThere: boolean;
}

export function clusterProgress({
  cluster,
  machines,
  metal3Machines,
  remediations,
  nodes,
}: ClusterObjects): ClusterProgress {
  const { phase = '', conditions, controlPlane, workers } = cluster?.status ?? {};
  const { host, port } = cluster?.spec?.controlPlaneEndpoint ?? {};
  const shown = machines.map((machine) =>
    machineProgress(machine, {
      metal3Machine: metal3Machines.find(({ metadata }) => metadata.name === machine.spec?.infrastructureRef?.name),
      remediation: remediations.find(({ metadata }) => metadata.name === machine.metadata.name),
      node: nodes.find(({ metadata }) => metadata.name === machine.status?.nodeRef?.name),
    }),
  );
  return {
    phase,
    endpoint: host === undefined || host === '' ? '' : `https://${host}:${port}`,
    controlPlane: replicasOf(controlPlane),
    workers: replicasOf(workers),
    machines: shown.sort((a, b) => a.role.localeCompare(b.role) || a.name.localeCompare(b.name)),
    isThere:
      isTrue(conditions, 'Available') &&
      shown.length === (controlPlane?.desiredReplicas ?? 0) + (workers?.desiredReplicas ?? 0) &&
      shown.every(isWell),
  };
}

/** True when the machine runs, its Node is ready, and no remediation runs. */
const isWell = ({ phase, node, isRemediated }: MachineProgress): boolean =>
  phase === 'Running' && node !== '' && !isRemediated;

/** True when the cluster's kubeconfig can be used. */
export const isInitialized = ({ status }: ClusterResource): boolean =>
  status?.initialization?.controlPlaneInitialized === true;

const replicasOf = ({ readyReplicas = 0, desiredReplicas }: Replicas = {}): string =>
  `${readyReplicas} of ${desiredReplicas ?? '?'}`;

interface Beside {
  readonly metal3Machine: Metal3MachineResource | undefined;
  readonly remediation: RemediationResource | undefined;
  readonly node: NodeResource | undefined;
}

function machineProgress(machine: MachineResource, { metal3Machine, remediation, node }: Beside): MachineProgress {
  const { phase = '' } = machine.status ?? {};
  const [, host = ''] = metal3Machine?.metadata.annotations?.['metal3.io/BareMetalHost']?.split('/') ?? [];
  return {
    name: machine.metadata.name,
    role: 'cluster.x-k8s.io/control-plane' in (machine.metadata.labels ?? {}) ? 'control plane' : 'worker',
    phase,
    host,
    node: isTrue(node?.status?.conditions, 'Ready') ? (node?.status?.nodeInfo?.kubeletVersion ?? '?') : '',
    address: node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '',
    isRemediated: remediation !== undefined,
    waitsFor:
      remediation !== undefined
        ? `remediation: ${wordsOfPhase(remediation.status?.phase, host)}`
        : phase === 'Running'
          ? ''
          : waitsFor(machine, metal3Machine, host),
  };
}

function wordsOfPhase(phase: string | undefined, host: string): string {
  if (phase === 'Running') return `${host} is powered off`;
  return phase === 'Waiting' ? `${host} is powered on, and its Node has to come back` : (phase ?? 'begins');
}

/** Conditions in the order in which they become True. */
const OF_METAL3_MACHINE = ['AssociateBareMetalHost', 'AssociateMetal3MachineMetaData', 'Metal3DataReady'];
const OF_MACHINE = ['BootstrapConfigReady', 'InfrastructureReady', 'NodeReady'];

/** The Metal3Machine's conditions take precedence: the Machine only says that it waits for the Metal3Machine. */
function waitsFor(machine: MachineResource, metal3Machine: Metal3MachineResource | undefined, host: string): string {
  const { conditions, initialization } = metal3Machine?.status ?? {};
  const [first] = unmet(conditions, OF_METAL3_MACHINE);
  if (first !== undefined) return wordsOf(first);
  if (host !== '' && initialization?.provisioned !== true) return `${host} is being deployed`;
  return unmet(machine.status?.conditions, OF_MACHINE).map(wordsOf)[0] ?? '';
}

const wordsOf = ({ type, reason = type, message = '' }: Condition): string =>
  message === ''
    ? reason
    : WAITS_ONLY.reduce((words, [error, wait]) => words.replace(error, wait), message.replaceAll('\n', ' '));

/** Waits that Metal3's contract expresses as errors, and the text that is shown instead. */
const WAITS_ONLY: readonly (readonly [error: RegExp, wait: string])[] = [
  [/^failed to update BareMetalHost: (waiting for )/i, '$1'],
  [/^(?:\* \w+: )?failed to set ProviderID .*: could not find node with label: (\S+)$/, 'waiting for its Node ($1)'],
  [/^(?:\* \w+: )?failed to set ProviderID .*: (the API server of cluster \S+) is unreachable$/, 'waiting for $1'],
];

const unmet = (conditions: readonly Condition[] = [], types: readonly string[]): readonly Condition[] =>
  types.flatMap((type) => conditions.find((one) => one.type === type && one.status !== 'True') ?? []);

const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditions?.some((one) => one.type === type && one.status === 'True') === true;
