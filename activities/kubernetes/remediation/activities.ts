import { settle, settleLegacy } from '../../../domain/entity/conditions.ts';
import type { Claimant } from '../../../domain/machine/choose-host/host-facts.ts';
import { UNHEALTHY_ANNOTATIONS } from '../../../domain/machine/names.ts';
import { isReplaceable } from '../../../domain/machine-api/replaceable.ts';
import {
  isPowerOffKey,
  OWNER_REMEDIATED,
  POWER_OFF_VALUE,
  powerOffKey,
  UNHEALTHY_VALUE,
  WAITING_FOR_REMEDIATION,
} from '../../../domain/remediation/names.ts';
import { type SickHost, sickHost } from '../../../domain/remediation/sick-host.ts';
import type { HandOverOrder, LetOnOrder, RemediationHostOrder } from '../../../domain/remediation/step.ts';
import { isConflict, isNotFound, isOvertaken, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { type BareMetalHostRead, readHost } from '../../../kube/objects/baremetalhost.ts';
import { conditionsOf, legacyConditionsOf } from '../../../kube/objects/conditions.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { hostPath, objectPath } from '../../../kube/paths.ts';
import { mustBeNeighbours, stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';
import { claimantIn, mustBeGone, mustBeHostless, mustBeSick } from './attempt-now.ts';

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

const CLAIM = { type: OWNER_REMEDIATED, status: 'False', reason: WAITING_FOR_REMEDIATION } as const;

/**
 * Says that the Machine waits for its owner to replace it, in both families of conditions: Cluster API reads one or the
 * other. Idempotent; a Machine that is gone is ignored.
 */
async function markMachine(kube: Kube, machine: HandOverOrder['machine'], message: string): Promise<void> {
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

/**
 * Deletes a Machine of the Machine API, so that its owner makes another one. Skips control planes, Machines that no
 * controller recreates, and externally provisioned hosts. Idempotent; a Machine that is gone is ignored.
 */
async function replaceMachine(kube: Kube, { machine, host }: Pick<HandOverOrder, 'machine' | 'host'>): Promise<void> {
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
