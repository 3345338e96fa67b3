import type { ObjectReference } from '../../api/meta/types.ts';
import { type Kube, KubeError, mayPass } from '../../kube/client.ts';
import type { Log } from '../../platform/log.ts';
import type { Binding, BridgeEvent } from '../binding.ts';
import { recordEvent } from './events.ts';

export interface Announcement {
  readonly binding: Pick<Binding, 'followed' | 'reporterOf'>;
  readonly object: { readonly namespace: string; readonly name: string; readonly uid: string };
  /** The run that numbered the Event's id; '' for the bridge's own. */
  readonly run?: string;
  readonly event: BridgeEvent;
  readonly related?: ObjectReference | undefined;
}

/** Writes an Event of an object; true when it is new. */
export type Announce = (announcement: Announcement) => Promise<boolean>;

/**
 * An Event that is refused (for example in a namespace that is being deleted) would be refused again: it is logged and
 * not retried.
 */
export const createAnnounce =
  ({ kube, log, now }: { readonly kube: Kube; readonly log: Log; readonly now: () => number }): Announce =>
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
