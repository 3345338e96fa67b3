import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import type { PlaceRequest } from '../../domain/budgets/budgets.ts';
import { isGuarding } from '../../domain/host/approval/policy.ts';
import { placesUnderway } from '../../domain/host/approval/underway.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Store } from '../../kube/store.ts';
import { hostWorkflowId, type UnderwayActivities } from '../../workflows/messages.ts';

/** Restores the memory of the workflow of budgets from the BareMetalHosts, which show whether their step has begun. */
export const createHostsUnderway = (store: Pick<Store, 'values' | 'isComplete'>): UnderwayActivities => ({
  hostsUnderway() {
    if (!store.isComplete) throw new Error('not all objects are listed yet');
    return Promise.resolve([...store.values(KINDS.host)].flatMap(({ object }) => requestOf(object)));
  },
});

function requestOf(object: unknown): readonly PlaceRequest[] {
  // True for most hosts, so most hosts are not parsed.
  if (!isGuarding(readMetadata(object).annotations)) return [];
  const parsed = parseBareMetalHost(object);
  const needs = parsed.ok ? placesUnderway(parsed.host) : [];
  if (!parsed.ok || needs.length === 0) return [];
  const { namespace, name, uid = '' } = parsed.host.metadata;
  const holder = hostWorkflowId({ namespace, name });
  return [{ holder, uid, ticket: `${uid}/shown by its object`, needs, underway: true }];
}
