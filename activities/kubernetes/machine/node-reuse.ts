import { z } from 'zod';
import { ownerReference } from '../../../api/meta/references.ts';
import { CLUSTER_GROUP, groupOf } from '../../../domain/cluster-api/names.ts';
import type { OwnerMachine } from '../../../domain/machine/snapshot.ts';
import { type Kube, KubeError } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { objectPath } from '../../../kube/paths.ts';

/** Where a machine comes from: the control plane or the MachineSet that made its Machine. */
export type MachineOrigin = Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;

interface Place extends MachineOrigin {
  readonly namespace: string;
}

const machineSet = z.object({
  metadata: z.object({ uid: z.string(), ownerReferences: z.array(ownerReference).default([]) }),
  spec: z.object({
    template: z.object({ spec: z.object({ infrastructureRef: z.object({ name: z.string() }) }) }),
  }),
});
const reference = z.object({ infrastructureRef: z.object({ name: z.string(), namespace: z.string().optional() }) });
/** As the contract of Cluster API has it now, and as it had it before. */
const controlPlane = z.object({
  spec: z.object({ machineTemplate: z.union([z.object({ spec: reference }), reference]) }),
});
const template = z.object({ spec: z.object({ nodeReuse: z.boolean().default(false) }) });
const resources = z.object({ resources: z.array(z.object({ name: z.string(), kind: z.string() })) });

/** What the label of a host that is kept for machines like this one says: `cp-…` or `md-…`. undefined: none is kept for it. */
export async function reuseLabel(kube: Kube, place: Place): Promise<string | undefined> {
  if (place.controlPlane !== undefined) return `cp-${place.controlPlane.name}`;
  const owners = (await findMachineSet(kube, place))?.metadata.ownerReferences ?? [];
  const owner = owners.find(
    ({ kind, apiVersion }) => kind === 'MachineDeployment' && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return owner === undefined ? undefined : `md-${owner.name}`;
}

/** True when the template that machines like this one are made from says that their hosts are to be kept for them. */
export async function keepsHosts(kube: Kube, place: Place): Promise<boolean> {
  const name = await templateOf(kube, place);
  if (name === undefined) return false;
  const found = await kube.find(objectPath(KINDS.metal3MachineTemplate, name));
  return found !== undefined && template.parse(found).spec.nodeReuse;
}

/** As it is now, not as it was when the machine was made: that is what the next machine will be made from. */
async function templateOf(kube: Kube, place: Place): Promise<{ namespace: string; name: string } | undefined> {
  const { namespace } = place;
  if (place.controlPlane === undefined) {
    const found = await findMachineSet(kube, place);
    return found && { namespace, name: found.spec.template.spec.infrastructureRef.name };
  }
  const { apiVersion, kind, name } = place.controlPlane;
  const listed = resources.safeParse(await findAny(kube, `/apis/${apiVersion}`));
  const plural = listed.data?.resources.find((each) => each.kind === kind && !each.name.includes('/'))?.name;
  if (plural === undefined) return undefined;
  const read = controlPlane.safeParse(await findAny(kube, objectPath({ apiVersion, plural }, { namespace, name })));
  if (!read.success) return undefined;
  const { machineTemplate } = read.data.spec;
  const { infrastructureRef } = 'spec' in machineTemplate ? machineTemplate.spec : machineTemplate;
  return { namespace: infrastructureRef.namespace ?? namespace, name: infrastructureRef.name };
}

async function findMachineSet(kube: Kube, place: Place): Promise<z.infer<typeof machineSet> | undefined> {
  if (place.machineSet === undefined) return undefined;
  const { name, uid } = place.machineSet;
  const read = machineSet.safeParse(
    await findAny(kube, objectPath(KINDS.machineSet, { namespace: place.namespace, name })),
  );
  return read.success && read.data.metadata.uid === uid ? read.data : undefined;
}

/** undefined as well when there is no such kind: then there is no such object either. */
const findAny = (kube: Kube, path: string): Promise<unknown> =>
  kube.find(path).catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  });
