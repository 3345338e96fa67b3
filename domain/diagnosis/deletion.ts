import { detachmentAsked } from '../host/memory/detach-annotation.ts';
import { traitsOf } from '../states/table.ts';
import type { SeenHost } from './sight.ts';

/** What the deletion of a host does to its server. */
export type Deletion = 'deprovisions' | 'powers off' | 'leaves alone';

type Leaving = Pick<SeenHost, 'state' | 'annotations'>;

/** True when a deletion does not wait for the end of the detachment, and does nothing to the server. */
export const leavesDetached = ({ annotations }: Pick<SeenHost, 'annotations'>): boolean =>
  detachmentAsked({ annotations })?.deleteAction === 'delete';

/** Of a host whose deletion waits: what is done after the wait. */
export function deletionOf({ state, annotations }: Leaving): Deletion {
  if (leavesDetached({ annotations })) return 'leaves alone';
  const { work } = traitsOf(traitsOf(state).deletion.leadsTo ?? state);
  if (work === 'deprovision') return 'deprovisions';
  return work === 'power off' ? 'powers off' : 'leaves alone';
}
