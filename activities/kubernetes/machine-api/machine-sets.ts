import { z } from 'zod';
import type { ObjectRef } from '../../../domain/entity/object-ref.ts';
import { OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import type { MachineSetAction } from '../../../domain/machine-set/entity.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readOwnMachineSet } from '../../../kube/objects/machine-api.ts';
import { itemsOf, type Metadata, readMetadata } from '../../../kube/objects/metadata.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { selects } from '../../../kube/selects.ts';
import { stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';

type OrderOf<Name extends MachineSetAction['name']> = Extract<MachineSetAction, { readonly name: Name }>['order'];

export interface MachineSetActivities {
  /**
   * Makes Machines with these names from the current template. Idempotent; returns the names of those that exist. Fails
   * with type `Stale` when the MachineSet asks for less.
   */
  makeMachines(input: { readonly set: ObjectRef; readonly names: readonly string[] }): Promise<readonly string[]>;
  /** Deletes a Machine of a MachineSet that has too many. Idempotent. */
  deleteSurplus(order: OrderOf<'delete machine'>): Promise<void>;
  /**
   * Names the MachineSet as the controller of a Machine that its selector matches. Idempotent; a Machine that is gone,
   * leaves, or has a controller is left alone.
   */
  adoptMachine(order: OrderOf<'adopt machine'>): Promise<void>;
}

/** Strict, unlike `readOwnMachineSet`: no Machine is made from a malformed template. */
const template = z.object({
  spec: z.object({
    template: z
      .object({
        metadata: z.looseObject({
          labels: z.record(z.string(), z.string()).optional(),
          annotations: z.record(z.string(), z.string()).optional(),
        }),
        spec: z.record(z.string(), z.unknown()).default({}),
      })
      .partial(),
  }),
});

const MACHINES = KINDS.openShiftMachine;

export function createMachineSetActivities(kube: Kube): MachineSetActivities {
  /** Fails with type `Stale` unless the MachineSet exists. */
  const present = async (set: ObjectRef): Promise<unknown> => {
    const found = await kube.find(objectPath(KINDS.openShiftMachineSet, set));
    const { uid, deletionTimestamp } = found === undefined ? NOTHING : readMetadata(found);
    if (uid === set.uid && deletionTimestamp === undefined) return found;
    throw stale(`change the Machines of MachineSet ${set.name}: it does not exist any more, or is being deleted`);
  };

  /** The Machines of the MachineSet that are not being deleted. */
  const machinesOf = async (set: ObjectRef): Promise<readonly Metadata[]> =>
    itemsOf(await kube.request({ path: collectionPath(MACHINES, set.namespace) }))
      .map((item) => readMetadata(item))
      .filter((metadata) => isOf(metadata, set) && metadata.deletionTimestamp === undefined);

  return {
    makeMachines: ({ set, names }) =>
      refusing(async () => {
        const found = await present(set);
        const { metadata, spec } = template.parse(found).spec.template;
        const there = (await machinesOf(set)).map(({ name }) => name);
        const missing = names.filter((name) => !there.includes(name));
        if (missing.length > Math.max(readOwnMachineSet(found).replicas - there.length, 0))
          throw stale(`make Machines: MachineSet ${set.name} does not ask for ${missing.length} more`);
        const made = names.filter((name) => there.includes(name));
        for (const name of missing) {
          const { labels, annotations } = metadata ?? {};
          const body = {
            apiVersion: MACHINES.apiVersion,
            kind: MACHINES.apiKind,
            metadata: {
              namespace: set.namespace,
              name,
              ...(labels && { labels }),
              ...(annotations && { annotations }),
              ownerReferences: [ownerOf(set)],
            },
            spec: spec ?? {},
          };
          const path = collectionPath(MACHINES, set.namespace);
          const isThere = await kube
            .request({ method: 'POST', path, body })
            .then(() => true)
            .catch(async (error: unknown) => {
              if (!isAlreadyExists(error)) throw error;
              // The Machine may be from an earlier attempt, or somebody else's.
              const found = await kube.find(objectPath(MACHINES, { namespace: set.namespace, name }));
              return found !== undefined && isOf(readMetadata(found), set);
            });
          if (isThere) made.push(name);
        }
        return made;
      }),

    deleteSurplus: ({ set, machine }) =>
      refusing(async () => {
        const { replicas } = readOwnMachineSet(await present(set));
        const machines = await machinesOf(set);
        if (!machines.some(({ uid }) => uid === machine.uid)) return;
        if (machines.length <= replicas) throw stale(`delete Machine ${machine.name}: its MachineSet has not too many`);
        const path = objectPath(MACHINES, { namespace: set.namespace, name: machine.name });
        await remove(kube, path, machine.uid);
      }),

    adoptMachine: ({ set, machine }) =>
      refusing(() =>
        whileContended(async () => {
          const { selector } = readOwnMachineSet(await present(set));
          const path = objectPath(MACHINES, { namespace: set.namespace, name: machine.name });
          const found = await kube.find(path);
          if (found === undefined) return;
          const { uid, resourceVersion, deletionTimestamp, labels, ownerReferences } = readMetadata(found);
          const isFree = deletionTimestamp === undefined && !ownerReferences.some((owner) => owner.controller === true);
          if (uid !== machine.uid || !isFree || !selects(selector, labels)) return;
          await kube.patch(path, {
            metadata: { resourceVersion, ownerReferences: [...ownerReferences, ownerOf(set)] },
          });
        }),
      ),
  };
}

const ownerOf = ({ name, uid }: ObjectRef): object => ({
  apiVersion: OPENSHIFT_API,
  kind: 'MachineSet',
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const NOTHING = { uid: '', deletionTimestamp: undefined };

const isOf = ({ ownerReferences }: Metadata, { uid }: ObjectRef): boolean =>
  ownerReferences.some((owner) => owner.controller === true && owner.uid === uid);
