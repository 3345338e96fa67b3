import { z } from 'zod';
import { CLUSTER_GROUP, groupOf } from '../../../domain/cluster-api/names.ts';
import type { OwnerMachine } from '../../../domain/machine/memory/snapshot.ts';
import { type Kube, KubeError } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { type MachineSetRead, readMachineSet } from '../../../kube/objects/machineset.ts';
import { readMachineTemplate } from '../../../kube/objects/metal3machinetemplate.ts';
import { objectPath } from '../../../kube/paths.ts';

/** The control plane or MachineSet that owns the machine. */
export type MachineOrigin = Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;

interface Place extends MachineOrigin {
  readonly namespace: string;
}

const reference = z.object({ infrastructureRef: z.object({ name: z.string(), namespace: z.string().optional() }) });
/** The current and the former field of Cluster API's contract. */
const controlPlane = z.object({
  spec: z.object({ machineTemplate: z.union([z.object({ spec: reference }), reference]) }),
});
const resources = z.object({ resources: z.array(z.object({ name: z.string(), kind: z.string() })) });

/**
 * The value of the node-reuse label for hosts that are reserved for machines like this one: `cp-…` or `md-…`.
 * undefined: none.
 */
export async function reuseLabel(kube: Kube, place: Place): Promise<string | undefined> {
  if (place.controlPlane !== undefined) return `cp-${place.controlPlane.name}`;
  const owners = (await findMachineSet(kube, place))?.metadata.ownerReferences ?? [];
  const owner = owners.find(
    ({ kind, apiVersion }) => kind === 'MachineDeployment' && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return owner === undefined ? undefined : `md-${owner.name}`;
}

/** True when node reuse is enabled on the Metal3MachineTemplate. */
export async function reservesHosts(kube: Kube, place: Place): Promise<boolean> {
  const name = await templateOf(kube, place);
  if (name === undefined) return false;
  const found = await kube.find(objectPath(KINDS.metal3MachineTemplate, name));
  return found !== undefined && readMachineTemplate(found).nodeReuse;
}

/** The current template, not the one of this machine's creation: the next machine is created from it. */
async function templateOf(kube: Kube, place: Place): Promise<{ namespace: string; name: string } | undefined> {
  const { namespace } = place;
  if (place.controlPlane === undefined) {
    const found = await findMachineSet(kube, place);
    return found && found.infrastructure !== '' ? { namespace, name: found.infrastructure } : undefined;
  }
  const { apiVersion, kind, name } = place.controlPlane;
  const listed = resources.safeParse(await findAny(kube, `/apis/${apiVersion}`));
  const plural = listed.data?.resources.find((each) => each.kind === kind && !each.name.includes('/'))?.name;
  if (plural === undefined) return undefined;
  const read = controlPlane.safeParse(await findAny(kube, objectPath({ apiVersion, plural }, { namespace, name })));
  if (!read.success) return undefined;
  const { machineTemplate } = read.data.spec;
  const { infrastructureRef } = 'spec' in machineTemplate ? machineTemplate.spec : machineTemplate;
  // Cluster API refuses references to other namespaces, but only where its own webhooks are installed.
  const isOurs = (infrastructureRef.namespace || namespace) === namespace;
  return isOurs ? { namespace, name: infrastructureRef.name } : undefined;
}

async function findMachineSet(kube: Kube, place: Place): Promise<MachineSetRead | undefined> {
  if (place.machineSet === undefined) return undefined;
  const { name, uid } = place.machineSet;
  const found = await findAny(kube, objectPath(KINDS.machineSet, { namespace: place.namespace, name }));
  const read = found === undefined ? undefined : readMachineSet(found);
  return read?.metadata.uid === uid ? read : undefined;
}

/** undefined: the object does not exist, or its kind is not installed. */
const findAny = (kube: Kube, path: string): Promise<unknown> =>
  kube.find(path).catch((error: unknown) => {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  });
