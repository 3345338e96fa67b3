import { z } from 'zod';
import { objectMeta } from '../../../api/meta/object-meta.ts';
import { namedReference } from '../../../api/meta/references.ts';
import { MACHINE_FINALIZER } from '../../../domain/machine/names.ts';
import type { DataClaimSeen, ObjectName } from '../../../domain/machine/snapshot.ts';
import type { DataClaimOrder } from '../../../domain/machine/step.ts';
import { isAlreadyExists, isNotFound, type Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { refusing } from '../refusal.ts';
import { dropFinalizer } from '../secrets.ts';

export interface DataClaimActivities {
  /** Creates the machine's data claim. Idempotent; an existing claim is not changed. */
  requestData(order: DataClaimOrder): Promise<DataClaimSeen | null>;
  /** Removes our finalizer from the data claim and deletes it. Idempotent. null: it is gone. */
  letDataGo(machine: ObjectName): Promise<DataClaimSeen | null>;
}

const claim = z.object({
  metadata: objectMeta,
  status: z
    .object({
      renderedData: namedReference.optional().catch(undefined),
      errorMessage: z.string().optional().catch(undefined),
    })
    .prefault({}),
});

/** The fields of a Metal3DataClaim that its machine uses. */
export function readDataClaim(object: unknown): DataClaimSeen {
  const { metadata, status } = claim.parse(object);
  const { renderedData, errorMessage } = status;
  const name = renderedData?.name;
  return {
    deleting: metadata.deletionTimestamp !== undefined,
    held: metadata.finalizers?.includes(MACHINE_FINALIZER) ?? false,
    ...(name && { renderedData: { name, namespace: renderedData?.namespace ?? metadata.namespace } }),
    ...(errorMessage && { errorMessage }),
  };
}

export function createDataClaimActivities(kube: Kube): DataClaimActivities {
  const find = async (name: ObjectName): Promise<DataClaimSeen | null> => {
    const found = await kube.find(objectPath(KINDS.dataClaim, name));
    return found === undefined ? null : readDataClaim(found);
  };
  return {
    async requestData({ machine, labels, template }) {
      const { namespace, name, uid } = machine;
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
        return readDataClaim(await refusing(() => kube.request({ method: 'POST', path, body })));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        return find(machine);
      }
    },

    async letDataGo(machine) {
      const path = objectPath(KINDS.dataClaim, machine);
      await dropFinalizer(kube, path, MACHINE_FINALIZER);
      await kube.request({ method: 'DELETE', path }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      return find(machine);
    },
  };
}
