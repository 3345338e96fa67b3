import { createHash } from 'node:crypto';
import type { ObjectReference } from '../api/baremetalhost/types.ts';
import type { HostEvent } from '../domain/host/report/view.ts';
import type { HostRef } from '../domain/ironic/orders.ts';
import { isAlreadyExists, type Kube } from '../kube/client.ts';
import { eventCollection } from '../kube/paths.ts';

export interface EventOrder {
  readonly host: HostRef;
  /** Whose numbers the event's id counts; '' for the bridge's own. */
  readonly run: string;
  readonly event: HostEvent;
  readonly type: 'Normal' | 'Warning';
  readonly consumer?: ObjectReference;
  readonly now: number;
}

/**
 * Writes an Event once: its name follows from the host's uid and the event's id, so that a repetition finds it there,
 * and is answered by false.
 */
export async function recordEvent(kube: Kube, order: EventOrder): Promise<boolean> {
  try {
    await kube.request({ method: 'POST', path: eventCollection(order.host.namespace), body: toEvent(order) });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/** As Metal3's users know them: of type Normal even for errors, counted once, related to the host's consumer. */
function toEvent({ host, run, event, type, consumer, now }: EventOrder): object {
  const { namespace, name, uid } = host;
  const timestamp = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const digest = createHash('sha256').update(`${uid}/${run}/${event.id}`).digest('hex').slice(0, 16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${event.reason.toLowerCase()}-${digest}` },
    involvedObject: { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', namespace, name, uid },
    reason: event.reason,
    message: event.message,
    source: { component: event.warning ? 'baremetalhost-controller' : 'metal3-baremetal-controller' },
    reportingComponent: event.warning ? 'baremetalhost-controller' : 'metal3.io/baremetal-controller',
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
    type,
    ...(consumer !== undefined && { related: consumer }),
  };
}
