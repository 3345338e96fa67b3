import { unlessForbidden } from '../../activities/kubernetes/refusal.ts';
import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { ageOf } from '../../domain/clock.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import type { ObjectRef } from '../../domain/entity/object-ref.ts';
import { isAnswer, kubectlCommand } from '../../domain/host/steering/kubectl-command.ts';
import {
  askedOf,
  eventOf,
  type HistoryEntry,
  historyOf,
  historyValue,
  withMessage,
} from '../../domain/steering/history.ts';
import { inWords, titleOf } from '../../domain/steering/messages.ts';
import { changed } from '../../domain/steering/steerable.ts';
import type { Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { type Metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { objectPath } from '../../kube/paths.ts';
import type { MachineSteerOrder, SteerAnswer, SteeringActivities, SteerOrder } from '../../workflows/messages.ts';
import type { BridgeEvent } from '../binding.ts';
import type { Announcement } from '../publish/announce.ts';
import { STEERED_HOST, STEERED_MACHINE, type SteeredKind, steeredMachineApi } from './steered-kinds.ts';

export interface SteeringDeps {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  readonly announce: (kind: Announcement['binding'], object: ObjectRef, event: BridgeEvent) => Promise<unknown>;
  /** ms since the epoch. */
  readonly now: () => number;
  /** An annotation was refused that asked for the same as this message. */
  readonly onAnnotationRefused: (message: string) => void;
}

/**
 * Maximum age of a message. An older one comes from a Temporal that was away for long, or that was restored from a
 * backup. Its sender has seen no answer.
 */
const OLDEST_MS = 10 * 60_000;

/** Writes messages of people to objects: the annotation or the spec, and the list, in one patch. */
export const createSteeringActivities = (deps: SteeringDeps): SteeringActivities => ({
  steerHost: (order) => whileContended(() => steer(STEERED_HOST, order, deps)),
  steerMachine: (order) => whileContended(() => steerMachine(order, deps)),
});

async function steerMachine(order: MachineSteerOrder, deps: SteeringDeps): Promise<SteerAnswer> {
  if (order.api === undefined) return steer(STEERED_MACHINE, order, deps);
  const kind = MACHINE_API_MACHINES.find(({ apiVersion }) => apiVersion === order.api);
  if (kind === undefined) return { kind: 'refused', why: `this bridge knows no Machines of ${order.api}` };
  return steer(steeredMachineApi(kind), order, deps);
}

async function steer<Facts extends Pick<Metadata, 'annotations'>, Known>(
  kind: SteeredKind<Facts, Known>,
  { object: ref, id, requestedAt, known, message }: SteerOrder<Known>,
  { kube, announce, now }: SteeringDeps,
): Promise<SteerAnswer> {
  const { refusal, change, followed } = kind.steerable;
  const path = objectPath(kind.followed, ref);
  const found = await kube.find(path);
  const metadata = found === undefined ? undefined : readMetadata(found);
  if (metadata?.uid !== ref.uid) return { kind: 'refused', why: 'it does not exist any more' };
  const { annotations, resourceVersion } = metadata;
  const written = historyOf(annotations).find((entry) => entry.id === id);
  const at = written?.at ?? toSeconds(now());
  const entry: HistoryEntry = { at, what: titleOf(message), ...askedOf(message), id };
  // If an earlier attempt has written the message, it is not written again.
  if (written === undefined) {
    if (ageOf(requestedAt, now()) > OLDEST_MS)
      return {
        kind: 'refused',
        why: `it was sent at ${toSeconds(requestedAt)}, ${requestedAt > now() ? 'in the future' : 'too long ago'}: send it again`,
      };
    const facts = kind.read(found, known);
    const why = refusal(facts, message);
    if (why !== undefined) return { kind: 'refused', why };
    const asked = change(facts, message);
    const after = changed(annotations, asked.annotations);
    const history = historyValue(withMessage([annotations, after], entry, followed));
    const write = (): Promise<unknown> =>
      kube.patch(path, {
        metadata: { resourceVersion, annotations: { ...asked.annotations, [STEERING_ANNOTATIONS.history]: history } },
        ...(asked.spec !== undefined && { spec: asked.spec }),
      });
    const refused = isAnswer(message) ? await unlessForbidden(write) : void (await write());
    if (refused !== undefined) {
      const command = kubectlCommand(ref.namespace, { name: ref.name, annotations }, message);
      return { kind: 'refused', why: `the bridge may not answer for others, so answer with ${command} (${refused})` };
    }
  }
  await announce(kind, ref, asEvent(entry));
  return { kind: 'done', at, said: `${entry.what} ${ref.namespace}/${ref.name} ${inWords(message)}` };
}

/** The Event of an entry. A deletion by force is a warning, because it may leave a node behind; so is a refusal. */
export function asEvent(entry: HistoryEntry): BridgeEvent {
  const isWarning = entry.what === 'forceDelete' || entry.refused !== undefined;
  return { ...eventOf(entry), type: isWarning ? 'Warning' : 'Normal', ...(isWarning && { warning: true }) };
}
