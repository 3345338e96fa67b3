import { createHash } from 'node:crypto';
import type { ObjectReference } from '../../api/meta/types.ts';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { eventCollection } from '../../kube/paths.ts';

/** An Event with the type that it has. */
export interface BridgeEvent {
  /** Unique in the life of one uid (and run): makes writing the Event idempotent. */
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly type: 'Normal' | 'Warning';
  /** The view marked it as a warning, which changes whose it is. */
  readonly warning?: true;
}

/** Who an Event comes from, in the older and in the newer way to say it. */
export interface Reporter {
  readonly component: string;
  readonly controller: string;
}

export interface EventOrder {
  readonly kind: FollowedKind;
  readonly object: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The run that numbered the Event's id; '' for the bridge's own. */
  readonly run: string;
  readonly event: BridgeEvent;
  readonly reporter: Reporter;
  readonly related?: ObjectReference | undefined;
  readonly now: number;
}

/** The API server refuses longer ones. */
const LONGEST = 1_000;

/**
 * Writes an Event once: its name follows from the object's uid, the event's id and what it says (a run that was reset counts
 * on from where it was reset to), so that a repetition finds it there, and is answered by false.
 */
export async function recordEvent(kube: Kube, order: EventOrder): Promise<boolean> {
  try {
    await kube.request({ method: 'POST', path: eventCollection(order.object.namespace), body: toEvent(order) });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

function toEvent({ kind, object, run, event, reporter, related, now }: EventOrder): object {
  const { namespace, name, uid } = object;
  const timestamp = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const digest = createHash('sha256').update(`${uid}/${run}/${event.id}/${event.message}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${event.reason.toLowerCase()}-${digest}` },
    involvedObject: { apiVersion: kind.apiVersion, kind: kind.kind, namespace, name, uid },
    reason: event.reason,
    message: event.message.slice(0, LONGEST),
    source: { component: reporter.component },
    reportingComponent: reporter.controller,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
    type: event.type,
    ...(related !== undefined && { related }),
  };
}
