import type { Claimant } from '../../../domain/machine/choose-host/host-facts.ts';
import { UNHEALTHY_ANNOTATIONS } from '../../../domain/machine/names.ts';
import { isPowerOffKey, POWER_OFF_VALUE, powerOffKey, UNHEALTHY_VALUE } from '../../../domain/remediation/names.ts';
import { type SickHost, sickHost } from '../../../domain/remediation/sick-host.ts';
import type { HandOverOrder, LetOnOrder, RemediationHostOrder } from '../../../domain/remediation/step.ts';
import { isOvertaken, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { type BareMetalHostRead, readHost } from '../../../kube/objects/baremetalhost.ts';
import { hostPath } from '../../../kube/paths.ts';
import { mustBeNeighbours, stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';
import { claimantIn, mustBeGone, mustBeHostless, mustBeSick } from './attempt-now.ts';
import { markMachine } from './mark-machine.ts';
import { replaceMachine } from './replace-machine.ts';

export interface RemediationActivities {
  /** Adds the annotation that keeps the host off. Idempotent. null: the host is gone. */
  keepHostOff(order: RemediationHostOrder): Promise<SickHost | null>;
  /** Removes these annotations, which keep the host off. Idempotent. null: the host is gone. */
  letHostOn(order: LetOnOrder & { readonly keys: readonly string[] }): Promise<SickHost | null>;
  /**
   * Marks the host as unhealthy first, so that no other machine takes it; then Cluster API may replace the Machine. One
   * of the Machine API is deleted.
   */
  handOver(order: HandOverOrder): Promise<void>;
}

type Annotations = Readonly<Record<string, string | null>>;

/** Reads and annotates a host, and repeats both after a conflict. `annotations` returns undefined for no change. */
async function annotateHost(
  kube: Kube,
  host: RemediationHostOrder['host'],
  machine: Claimant,
  annotations: (read: BareMetalHostRead) => Annotations | undefined,
): Promise<SickHost | null> {
  const attempt = async (): Promise<SickHost | null> => {
    const found = await kube.find(hostPath(host));
    const read = found === undefined ? undefined : readHost(found);
    if (read === undefined || read.metadata.uid !== host.uid) return null;
    const wanted = annotations(read);
    if (wanted === undefined) return sickHost(read, machine);
    const { resourceVersion } = read.metadata;
    const patched = await kube.patch(hostPath(host), { metadata: { resourceVersion, annotations: wanted } });
    return sickHost(readHost(patched), machine);
  };
  return refusing(() => whileContended(attempt, isOvertaken));
}

export const createRemediationActivities = (kube: Kube): RemediationActivities => ({
  async keepHostOff(order) {
    await refusing(() => mustBeSick(kube, order, ['Running']));
    const key = powerOffKey(order.remediation.uid);
    return annotateHost(kube, order.host, claimantIn(order, order.machine), ({ metadata: { annotations } }) =>
      key in annotations ? undefined : { [key]: POWER_OFF_VALUE },
    );
  },

  // Powering on disturbs nothing.
  async letHostOn({ keys, vanished, ...order }) {
    mustBeNeighbours(order.host, order.remediation);
    if (vanished) await refusing(() => mustBeGone(kube, order.remediation));
    return annotateHost(kube, order.host, claimantIn(order, order), ({ metadata: { annotations } }) => {
      const present = keys.filter((key) => isPowerOffKey(key) && key in annotations);
      return present.length === 0 ? undefined : Object.fromEntries(present.map((key) => [key, null]));
    });
  },

  async handOver(order) {
    const { host, remediation, machine, message } = order;
    if (host === null) await refusing(() => mustBeHostless(kube, order, ['Running', 'Waiting']));
    else {
      const now = await refusing(() => mustBeSick(kube, { ...order, host }, ['Waiting']));
      if (now.host.heldBy.includes(powerOffKey(remediation.uid))) {
        throw stale(`Metal3Remediation ${remediation.name}: it keeps host ${host.name} off`);
      }
      await annotateHost(kube, host, claimantIn(order, machine), ({ metadata: { annotations } }) =>
        UNHEALTHY_ANNOTATIONS[0] in annotations ? undefined : { [UNHEALTHY_ANNOTATIONS[0]]: UNHEALTHY_VALUE },
      );
    }
    await refusing(() =>
      machine.api === undefined ? markMachine(kube, machine, message) : replaceMachine(kube, order),
    );
  },
});
