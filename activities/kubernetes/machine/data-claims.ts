import { MACHINE_FINALIZER } from '../../../api/metal3machine/kind.ts';
import type { ObjectName } from '../../../domain/entity/object-ref.ts';
import type { DataClaimSeen } from '../../../domain/machine/memory/snapshot.ts';
import type { DataClaimOrder } from '../../../domain/machine/memory/step.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { type Metadata, readMetadata } from '../../../kube/objects/metadata.ts';
import { claimSeen, readDataClaim } from '../../../kube/objects/metal3dataclaim.ts';
import { readMetal3Machine } from '../../../kube/objects/metal3machine.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { refusing } from '../refusal.ts';
import { dropFinalizer } from '../secrets.ts';
import { mustBe, stale } from './machine-now.ts';

export interface DataClaimActivities {
  /**
   * Creates the machine's data claim. Idempotent; an existing claim is not changed. Fails with type `Stale` unless the
   * object of the machine asks for data of this template.
   */
  requestData(order: DataClaimOrder): Promise<DataClaimSeen | null>;
  /**
   * Removes our finalizer from the data claim of a machine that is being deleted, or gone, and deletes it; fails with
   * type `Stale` for any other machine. Idempotent. null: the claim is gone.
   */
  letDataGo(machine: ObjectName): Promise<DataClaimSeen | null>;
}

export function createDataClaimActivities(kube: Kube): DataClaimActivities {
  const find = async (name: ObjectName): Promise<DataClaimSeen | null> => {
    const found = await kube.find(objectPath(KINDS.dataClaim, name));
    return found === undefined ? null : claimSeen(readDataClaim(found));
  };
  return {
    async requestData({ machine, template }) {
      const { namespace, name, uid } = machine;
      const { labels } = await mustAskForData(kube, { machine, template });
      const { apiVersion, kind } = KINDS.metal3Machine;
      const body = {
        apiVersion: KINDS.dataClaim.apiVersion,
        kind: KINDS.dataClaim.kind,
        metadata: {
          name,
          namespace,
          labels,
          finalizers: [MACHINE_FINALIZER],
          ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
        },
        spec: { template },
      };
      try {
        const path = collectionPath(KINDS.dataClaim, namespace);
        return claimSeen(readDataClaim(await refusing(() => kube.request({ method: 'POST', path, body }))));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        return find(machine);
      }
    },

    letDataGo: (machine) =>
      refusing(async () => {
        await mustBe(kube, 'leaves', machine);
        const path = objectPath(KINDS.dataClaim, machine);
        const found = await kube.find(path);
        if (found === undefined) return null;
        const { uid } = readMetadata(found);
        await dropFinalizer(kube, path, MACHINE_FINALIZER, uid);
        await remove(kube, path, uid);
        return find(machine);
      }),
  };
}

/** Resolves with the metadata of the machine, whose spec names the template. */
async function mustAskForData(kube: Kube, { machine, template }: DataClaimOrder): Promise<Metadata> {
  const object = await refusing(() => mustBe(kube, 'has', machine, 'request data'));
  const { metadata, facts } = readMetal3Machine(object);
  const { name, namespace = metadata.namespace } = facts.dataTemplate ?? {};
  const isAsked = metadata.uid === machine.uid && name === template.name && namespace === template.namespace;
  if (isAsked) return metadata;
  throw stale(`request data: Metal3Machine ${machine.name}: it does not ask for data of this template`);
}
