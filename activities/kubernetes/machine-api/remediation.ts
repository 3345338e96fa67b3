import { hasCome } from '../../../domain/clock.ts';
import { isConsumer } from '../../../domain/machine/choose-host/host-facts.ts';
import type { HostAnswer, HostOrder } from '../../../domain/machine/memory/step.ts';
import { KEPT_OFF_ANNOTATION } from '../../../domain/machine/names.ts';
import { REMEDIATION_ANNOTATIONS } from '../../../domain/machine-api/names.ts';
import { LONGEST_STARTUP_MS } from '../../../domain/machine-api/remediation.ts';
import type { MachineApiAction, OwnNodeOrder } from '../../../domain/machine-api/step.ts';
import { BACKUP_ANNOTATIONS, POWER_OFF_VALUE } from '../../../domain/remediation/names.ts';
import { backupOf, missingTexts, type NodeTexts } from '../../../domain/remediation/sick-node.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { type MachineApiRead, readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { storedTexts } from '../../../kube/objects/metal3remediation.ts';
import { readSickNode } from '../../../kube/objects/node.ts';
import { hostPath, nodePath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { patchHost } from '../machine/machine-host.ts';
import { claimantPath, findClaimant, stale, whyNotOurs } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';
import { mustBeItsNode } from './node-of-machine.ts';

type OrderOf<Name extends MachineApiAction['name']> = Extract<MachineApiAction, { readonly name: Name }>['order'];

/** The remediation of Machines of the Machine API; its state is in their annotations. */
export interface MachineRemediationActivities {
  /** Adds the annotation that keeps the host off. Idempotent. */
  keepMachineHostOff(order: HostOrder): Promise<HostAnswer>;
  /** Removes that annotation; with a deadline, the Machine is marked before. Idempotent. */
  letMachineHostOn(order: OrderOf<'let host on'>): Promise<HostAnswer>;
  /** Stores labels and annotations of the Node in the Machine, and deletes the Node. Idempotent. */
  takeNodeAway(order: OrderOf<'take node away'>): Promise<void>;
  /**
   * Writes the stored labels and annotations that the Node lacks, and removes the annotations of the remediation.
   * Idempotent.
   */
  endMachineRemediation(order: OrderOf<'return node'>): Promise<void>;
  /** Deletes a Machine whose Node did not come back. Idempotent. */
  deleteMachine(order: OrderOf<'delete machine'>): Promise<void>;
}

type Machine = OrderOf<'return node'>['machine'];
const { requested, poweredOff, deadline: DEADLINE } = REMEDIATION_ANNOTATIONS;
const OURS = [requested, poweredOff, DEADLINE, BACKUP_ANNOTATIONS.labels, BACKUP_ANNOTATIONS.annotations];

const NOTHING = { annotations: {}, uid: '', deletionTimestamp: undefined } as const;

export function createMachineRemediationActivities(kube: Kube): MachineRemediationActivities {
  const annotate = (machine: Machine, annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    kube.patch(claimantPath(machine), { metadata: { uid: machine.uid, annotations } });

  /** Fails with type `Stale` unless the Machine is being remediated. */
  const mustBeSick = async (machine: HostOrder['machine'] & { readonly uid?: string }): Promise<MachineApiRead> => {
    const found = await findClaimant(kube, machine);
    const read = found === undefined ? undefined : readMachineApi(found);
    const notOurs = whyNotOurs(found, machine);
    if (notOurs !== undefined) throw stale(`remediation: Machine ${machine.name}: ${notOurs}`);
    const isSame = machine.uid === undefined || machine.uid === read?.metadata.uid;
    const isSick = read?.metadata.deletionTimestamp === undefined && requested in (read?.metadata.annotations ?? {});
    if (read !== undefined && isSame && isSick) return read;
    throw stale(`remediation: Machine ${machine.name} is not there, or is not to be remediated`);
  };
  const mustBeOff = async ({ host, machine }: OrderOf<'take node away'>): Promise<void> => {
    const found = await kube.find(hostPath(host));
    const read = found === undefined ? undefined : readHost(found);
    const isOurs = read?.metadata.uid === host.uid && isConsumer(read.spec.consumerRef, machine);
    if (isOurs && !read.status.poweredOn && KEPT_OFF_ANNOTATION in read.metadata.annotations) return;
    throw stale(`remediation: host ${host.name} of Machine ${machine.name} is not kept off`);
  };
  const ofOwn = async (order: HostOrder, change: Parameters<typeof patchHost>[2]): Promise<HostAnswer> => {
    const host = await patchHost(kube, order, (read) =>
      isConsumer(read.spec.consumerRef, order.machine) ? change(read) : undefined,
    );
    return { kind: 'host', host };
  };

  /** False when the Node does not exist: the stored labels and annotations are then kept. */
  const returned = (node: OwnNodeOrder['node'], stored: Partial<NodeTexts>): Promise<boolean> =>
    whileContended(async () => {
      const path = nodePath(node.name);
      const found = await kube.find(path);
      const metadata = found === undefined ? undefined : readSickNode(found).metadata;
      if (metadata?.uid !== node.uid) return false;
      const texts = missingTexts(metadata, stored);
      const { resourceVersion } = metadata;
      if (texts !== undefined) await kube.patch(path, { metadata: { resourceVersion, ...texts } });
      return true;
    });

  return {
    async keepMachineHostOff(order) {
      const { annotations } = (await refusing(() => mustBeSick(order.machine))).metadata;
      // The request may come from a snapshot that is older than the mark.
      return ofOwn(order, ({ metadata }) =>
        KEPT_OFF_ANNOTATION in metadata.annotations || poweredOff in annotations
          ? undefined
          : { metadata: { annotations: { [KEPT_OFF_ANNOTATION]: POWER_OFF_VALUE } } },
      );
    },

    async letMachineHostOn({ deadline, uid, ...order }) {
      if (deadline !== undefined) {
        await refusing(async () => {
          const found = await findClaimant(kube, order.machine);
          const { annotations, ...metadata } = found === undefined ? NOTHING : readMetadata(found);
          const isMarked = poweredOff in annotations || !(requested in annotations);
          if (metadata.uid !== uid || isMarked) return;
          await annotate({ ...order.machine, uid } as Machine, { [poweredOff]: '', [DEADLINE]: deadline });
        });
      }
      return ofOwn(order, ({ metadata }) =>
        KEPT_OFF_ANNOTATION in metadata.annotations
          ? { metadata: { annotations: { [KEPT_OFF_ANNOTATION]: null } } }
          : undefined,
      );
    },

    takeNodeAway: (order) =>
      refusing(async () => {
        const known = await mustBeSick(order.machine);
        await mustBeOff(order);
        const path = nodePath(order.node.name);
        const found = await kube.find(path);
        if (found === undefined) return;
        const { metadata } = readSickNode(found);
        if (metadata.uid !== order.node.uid) return;
        await mustBeItsNode(kube, order, known, found);
        const { labels, annotations } = backupOf(metadata, storedTexts(known));
        await annotate(order.machine, {
          [BACKUP_ANNOTATIONS.labels]: JSON.stringify(labels),
          [BACKUP_ANNOTATIONS.annotations]: JSON.stringify(annotations),
        });
        await remove(kube, path, order.node.uid);
      }),

    endMachineRemediation: ({ machine, node }) =>
      refusing(async () => {
        const found = await findClaimant(kube, machine);
        const metadata = found === undefined ? undefined : readMetadata(found);
        if (metadata?.uid !== machine.uid) return;
        const stored = storedTexts({ metadata });
        if (node !== null && !(await returned(node, stored))) return;
        const present = OURS.filter((key) => key in metadata.annotations);
        if (present.length > 0) await annotate(machine, Object.fromEntries(present.map((key) => [key, null])));
      }),

    deleteMachine: ({ machine }) =>
      refusing(async () => {
        const found = await findClaimant(kube, machine);
        const { annotations, uid, deletionTimestamp } = found === undefined ? NOTHING : readMetadata(found);
        if (uid !== machine.uid || deletionTimestamp !== undefined) return;
        if (!(requested in annotations)) throw stale(`remediation: Machine ${machine.name} is not to be remediated`);
        const end = Date.parse(annotations[DEADLINE] ?? '');
        if (!hasCome(end, Date.now(), LONGEST_STARTUP_MS))
          throw stale(`remediation: Machine ${machine.name} still has time`);
        await remove(kube, claimantPath(machine), machine.uid);
      }),
  };
}
