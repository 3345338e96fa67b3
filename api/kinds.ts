import { bareMetalHost } from './baremetalhost/kind.ts';
import { FINALIZERS } from './baremetalhost/values.ts';
import { dataImage } from './dataimage/kind.ts';
import { CLUSTER_API } from './groups.ts';
import { hardwareData } from './hardwaredata/kind.ts';
import { clusterIpAddress, ipAddress, ipAddressClaim, ipClaim, ipPool } from './ipam/kind.ts';
import type { EntityKind, Kind } from './kind.ts';
import { clusterMachine, healthCheck, openShiftMachine, openShiftMachineSet } from './machine-api/kind.ts';
import { metal3Cluster, metal3ClusterTemplate } from './metal3cluster/kind.ts';
import { metal3Data } from './metal3data/kind.ts';
import { metal3DataClaim } from './metal3dataclaim/kind.ts';
import { metal3DataTemplate } from './metal3datatemplate/kind.ts';
import { metal3Machine, metal3MachineTemplate } from './metal3machine/kind.ts';
import { metal3Remediation, metal3RemediationTemplate } from './metal3remediation/kind.ts';
import { preprovisioningImage } from './preprovisioningimage/kind.ts';

/** The kinds that we read or write. One line for each kind of ours; kinds of others are declared here. */
export const KINDS = {
  host: bareMetalHost,
  hardwareData,
  preprovisioningImage,
  dataImage,
  secret: { kind: 'Secret', apiVersion: 'v1', plural: 'secrets', finalizers: [FINALIZERS.secret] },
  dataTemplate: metal3DataTemplate,
  dataClaim: metal3DataClaim,
  data: metal3Data,
  metal3Cluster,
  metal3ClusterTemplate,
  metal3MachineTemplate,
  metal3Machine,
  remediation: metal3Remediation,
  remediationTemplate: metal3RemediationTemplate,
  machine: { kind: 'Machine', apiVersion: CLUSTER_API, plural: 'machines' },
  machineSet: { kind: 'MachineSet', apiVersion: CLUSTER_API, plural: 'machinesets' },
  cluster: { kind: 'Cluster', apiVersion: CLUSTER_API, plural: 'clusters' },
  ipPool,
  ipClaim,
  ipAddress,
  ipAddressClaim,
  clusterIpAddress,
  openShiftMachine,
  clusterMachine,
  openShiftMachineSet,
  healthCheck,
  namespace: { kind: 'Namespace', apiVersion: 'v1', plural: 'namespaces', isClusterScoped: true },
  node: { kind: 'Node', apiVersion: 'v1', plural: 'nodes', isClusterScoped: true },
} as const satisfies Readonly<Record<string, Kind>>;

export const ALL_KINDS: readonly Kind[] = Object.values(KINDS);

/** The kinds whose objects have workflows. */
export const ENTITY_KINDS: readonly EntityKind[] = ALL_KINDS.filter(
  (kind): kind is EntityKind => kind.workflow !== undefined,
);
/** Their names. */
export type EntityKindName = Extract<(typeof KINDS)[keyof typeof KINDS], { readonly workflow: object }>['kind'];
