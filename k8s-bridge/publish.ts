import type { HostView } from '../domain/host/report/view.ts';
import { isConflict, isNotFound } from '../kube/client.ts';
import { whileContended } from '../kube/contended.ts';
import { isOutdated, type Origin } from './ledger.ts';
import { createSerializer } from './serialize.ts';
import { createWriteHost, type WriteDeps } from './write-host.ts';

type PublishAnswer =
  | { readonly kind: 'published' }
  /** Something newer was written, or the name belongs to another host by now. */
  | { readonly kind: 'superseded' }
  /** There is no such BareMetalHost any more. */
  | { readonly kind: 'gone' };

export type Publish = (view: HostView, origin: Origin) => Promise<PublishAnswer>;

/**
 * Makes a BareMetalHost show what its workflow says. Idempotent; writes nothing that is so already. One at a time for
 * each host, and never an older view after a newer one.
 */
export function createPublish(deps: WriteDeps): Publish {
  const { ledger } = deps;
  const serially = createSerializer();
  const write = createWriteHost(deps);

  const publish = async (view: HostView, origin: Origin): Promise<PublishAnswer> => {
    if (isOutdated(view, origin, ledger.get(view.uid))) return { kind: 'superseded' };
    const answer = await whileContended(() => write(view), isOvertaken);
    switch (answer.kind) {
      case 'written':
        return { kind: 'published' };
      case 'another':
        return { kind: 'superseded' };
      case 'gone':
        return answer;
    }
  };

  return (view, origin) => serially(view.uid, () => publish(view, origin));
}

/** Somebody changed the object between our reading and our writing, or deleted it: another look tells. */
const isOvertaken = (error: unknown): boolean => isConflict(error) || isNotFound(error);

export interface BridgeActivities {
  /** Makes the BareMetalHost show this view. Idempotent; of several views of a host the newest wins. */
  publishHost(input: { readonly view: HostView }): Promise<PublishAnswer>;
}

export const createBridgeActivities = ({ publish }: { readonly publish: Publish }): BridgeActivities => ({
  publishHost: ({ view }) => publish(view, { kind: 'workflow' }),
});
