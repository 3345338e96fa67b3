import { z } from 'zod';
import { lenientText, maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_GROUP, CLUSTER_LABELS, CONTROL_PLANE_GROUP, groupOf } from '../../domain/cluster-api/names.ts';
import { defined } from '../../domain/defined.ts';
import type { OwnerMachine } from '../../domain/machine/memory/snapshot.ts';
import { byName } from '../by-name.ts';
import { KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { isLegacyTrue } from './conditions.ts';
import { type Metadata, metadata } from './metadata.ts';

const reference = maybe(z.object({ name: z.string(), kind: z.string().default('') }));
const machine = z.object({
  metadata,
  spec: orEmpty({
    clusterName: lenientText,
    failureDomain: maybeText,
    bootstrap: z.object({ configRef: reference, dataSecretName: maybeText }).catch({}),
    infrastructureRef: reference,
  }),
  status: z.record(z.string(), z.unknown()).catch({}),
});
const nodeRef = z.object({ nodeRef: z.object({ name: z.string() }) });

export interface MachineRead {
  readonly metadata: Metadata;
  readonly owner: OwnerMachine;
  /** By its label, '' without one. */
  readonly cluster: string;
  /** Name of its Metal3Machine, '' when it has another infrastructure. */
  readonly infrastructure: string;
}

/** A Machine of Cluster API. */
export const readMachine = once((object): MachineRead => {
  const { metadata, spec, status } = machine.parse(object);
  const { configRef, dataSecretName } = spec.bootstrap;
  const { failureDomain, clusterName, infrastructureRef } = spec;
  const node = nodeRef.safeParse(status).data?.nodeRef.name;
  const isControlPlane = CLUSTER_LABELS.controlPlane in metadata.labels;
  const ofGroup = (group: string) => metadata.ownerReferences.find(({ apiVersion }) => groupOf(apiVersion) === group);
  const controlPlane = isControlPlane ? ofGroup(CONTROL_PLANE_GROUP) : undefined;
  const machineSet = metadata.ownerReferences.find(
    ({ kind, apiVersion }) => kind === KINDS.machineSet.kind && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return {
    metadata,
    owner: {
      name: metadata.name,
      namespace: metadata.namespace,
      clusterName,
      ...(failureDomain && { failureDomain }),
      ...defined({ configRef: configRef?.name, dataSecretName }),
      bootstrapReady: isLegacyTrue(status, 'BootstrapReady'),
      ...(node && { nodeRef: node }),
      ...(controlPlane && {
        controlPlane: { apiVersion: controlPlane.apiVersion, kind: controlPlane.kind, name: controlPlane.name },
      }),
      ...(machineSet && !isControlPlane && { machineSet: { name: machineSet.name, uid: machineSet.uid } }),
    },
    cluster: metadata.labels[CLUSTER_LABELS.clusterName] ?? '',
    infrastructure: infrastructureRef?.kind === KINDS.metal3Machine.kind ? infrastructureRef.name : '',
  };
});

export const machinesByCluster = byName(KINDS.machine, (entry) => readMachine(entry.object).cluster);
