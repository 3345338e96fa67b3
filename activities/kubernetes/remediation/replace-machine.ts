import { isReplaceable } from '../../../domain/machine-api/replaceable.ts';
import type { HandOverOrder } from '../../../domain/remediation/step.ts';
import { isConflict, isNotFound, type Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { hostPath, objectPath } from '../../../kube/paths.ts';

/**
 * Deletes a Machine of the Machine API, so that its owner makes another one. Skips control planes, Machines that no
 * controller recreates, and externally provisioned hosts. Idempotent; a Machine that is gone is ignored.
 */
export async function replaceMachine(
  kube: Kube,
  { machine, host }: Pick<HandOverOrder, 'machine' | 'host'>,
): Promise<void> {
  const path = objectPath(KINDS.openShiftMachine, machine);
  const found = await kube.find(path);
  const metadata = found === undefined ? undefined : readMetadata(found);
  if (metadata?.uid !== machine.uid || metadata.deletionTimestamp !== undefined || !isReplaceable(metadata)) return;
  const itsHost = host === null ? undefined : await kube.find(hostPath(host));
  if (itsHost !== undefined && readHost(itsHost).spec.externallyProvisioned) return;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: machine.uid } };
  await kube.request({ method: 'DELETE', path, body }).catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
