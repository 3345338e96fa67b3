import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { findInstalled, resourceOf } from '../../../kube/installed.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { type MachineOrigin, ownMachineSet, reuseLabelOf } from '../../../kube/objects/machineset.ts';
import { readMachineTemplate } from '../../../kube/objects/metal3machinetemplate.ts';
import { objectPath } from '../../../kube/paths.ts';

interface Place extends MachineOrigin {
  readonly namespace: string;
}

const reference = z.object({ infrastructureRef: z.object({ name: z.string(), namespace: z.string().optional() }) });
/** The current and the former field of Cluster API's contract. */
const controlPlane = z.object({
  spec: z.object({ machineTemplate: z.union([z.object({ spec: reference }), reference]) }),
});

/** The value of the node-reuse label for hosts that are reserved for machines like this one. undefined: none. */
export const reuseLabel = async (kube: Kube, place: Place): Promise<string | undefined> =>
  reuseLabelOf(place, place.controlPlane === undefined ? await findMachineSet(kube, place) : undefined);

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
    const found = ownMachineSet(place, await findMachineSet(kube, place));
    return found && found.infrastructure !== '' ? { namespace, name: found.infrastructure } : undefined;
  }
  const { apiVersion, kind, name } = place.controlPlane;
  const resource = await resourceOf(kube, { apiVersion, kind });
  if (resource === undefined) return undefined;
  const read = controlPlane.safeParse(await findInstalled(kube, resource, { namespace, name }));
  if (!read.success) return undefined;
  const { machineTemplate } = read.data.spec;
  const { infrastructureRef } = 'spec' in machineTemplate ? machineTemplate.spec : machineTemplate;
  // Cluster API refuses references to other namespaces, but only where its own webhooks are installed.
  const isOurs = (infrastructureRef.namespace || namespace) === namespace;
  return isOurs ? { namespace, name: infrastructureRef.name } : undefined;
}

async function findMachineSet(kube: Kube, { namespace, machineSet }: Place): Promise<unknown> {
  if (machineSet === undefined) return undefined;
  return findInstalled(kube, KINDS.machineSet, { namespace, name: machineSet.name });
}
