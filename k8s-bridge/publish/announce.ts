import { createHash } from 'node:crypto';
import type { ObjectReference } from '../../api/meta/references.ts';
import { isAlreadyExists, type Kube, KubeError, mayPass } from '../../kube/client.ts';
import { type FollowedKind, kindInApi } from '../../kube/kinds.ts';
import { eventCollection } from '../../kube/paths.ts';
import type { Around } from '../around.ts';
import type { Binding, BridgeEvent, Reporter } from '../binding.ts';

export interface Announcement {
  readonly binding: { readonly followed: FollowedKind } & Pick<Binding, 'reporterOf'>;
  readonly object: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The run that numbered the Event's id; '' for the bridge's own. */
  readonly run?: string;
  readonly event: BridgeEvent;
  readonly related?: ObjectReference | undefined;
}

export type AnnounceDeps = Pick<Around, 'kube' | 'log' | 'now'>;

/** Writes an Event of an object; true when it is new. */
export type Announce = (announcement: Announcement) => Promise<boolean>;

/**
 * An Event that is refused (for example in a namespace that is being deleted) would be refused again: it is logged and
 * not retried.
 */
export const createAnnounce =
  ({ kube, log, now }: AnnounceDeps): Announce =>
  async ({ binding, object, run = '', event, related }) => {
    const { followed, reporterOf } = binding;
    const { namespace, name, uid } = object;
    const order = { kind: followed, object, run, event, reporter: reporterOf(event), related, now: now() };
    return recordEvent(kube, order).catch((error: unknown) => {
      if (!(error instanceof KubeError) || error.status === 0 || error.status >= 500 || mayPass(error)) throw error;
      log.warn(
        {
          kind: followed.kind,
          object: `${namespace}/${name}`,
          objectUid: uid,
          ...(run !== '' && { firstRunId: run }),
          event: event.reason,
          err: error,
        },
        'an Event was refused',
      );
      return true;
    });
  };

interface EventOrder {
  readonly kind: FollowedKind;
  readonly object: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The run that numbered the Event's id; '' for the bridge's own. */
  readonly run: string;
  readonly event: BridgeEvent;
  readonly reporter: Reporter;
  readonly related?: ObjectReference | undefined;
  readonly now: number;
}

/** Maximum length of a message in the API server. */
const LONGEST = 1_000;

/**
 * Creates an Event once; false when it exists already. Its name is derived from the object's uid, the event's id and
 * its text: after a reset, a run may use an id for another text.
 */
async function recordEvent(kube: Kube, order: EventOrder): Promise<boolean> {
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
    involvedObject: { apiVersion: kind.apiVersion, kind: kindInApi(kind), namespace, name, uid },
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
