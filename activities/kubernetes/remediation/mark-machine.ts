import { settle, settleLegacy } from '../../../domain/entity/conditions.ts';
import { OWNER_REMEDIATED, WAITING_FOR_REMEDIATION } from '../../../domain/remediation/names.ts';
import type { HandOverOrder } from '../../../domain/remediation/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { conditionsOf, legacyConditionsOf } from '../../../kube/objects/conditions.ts';
import { objectPath } from '../../../kube/paths.ts';

const CLAIM = { type: OWNER_REMEDIATED, status: 'False', reason: WAITING_FOR_REMEDIATION } as const;

/**
 * Says that the Machine waits for its owner to replace it, in both families of conditions: Cluster API reads one or the
 * other. Idempotent; a Machine that is gone is ignored.
 */
export async function markMachine(kube: Kube, machine: HandOverOrder['machine'], message: string): Promise<void> {
  const path = objectPath(KINDS.machine, machine);
  await whileContended(async () => {
    const found = await kube.find(path);
    if (found === undefined) return;
    const { metadata, status } = readObject(found);
    const { uid, resourceVersion, generation } = metadata;
    const [conditions, legacy] = [conditionsOf(status), legacyConditionsOf(status)];
    const isMarked = [conditions, legacy].every((all) =>
      all.some((each) => each.type === CLAIM.type && each.status === CLAIM.status && each.reason === CLAIM.reason),
    );
    if (uid !== machine.uid || isMarked) return;
    const others = legacy.filter(({ type }) => type !== CLAIM.type);
    const now = Date.now();
    await kube.patch(`${path}/status`, {
      metadata: { resourceVersion },
      status: {
        conditions: settle([{ ...CLAIM, message }], conditions, generation, now),
        deprecated: {
          v1beta1: { conditions: settleLegacy([...others, { ...CLAIM, severity: 'Warning', message }], legacy, now) },
        },
      },
    });
  });
}
