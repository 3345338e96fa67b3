import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import { isGuarding } from '../../domain/host/approval/policy.ts';
import { placesUnderway } from '../../domain/host/approval/underway.ts';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { ticketOf } from '../../domain/lock/marks.ts';
import { idsOf } from '../../domain/lock/names.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import type { Store } from '../../kube/store.ts';
import { hostWorkflowId, type LockActivities } from '../../workflows/messages.ts';

/** Bytes after which an answer ends; one host adds 80 kB at most. */
const PAGE = 500_000;
/** Part of the ticket of a place that was found by the object. */
const SHOWN = 'shown';

interface Found {
  readonly id: string;
  readonly object: unknown;
}

/** What the runs of locks ask the bridge about hosts. */
export function createLockActivities(store: Pick<Store, 'values' | 'isComplete'>): LockActivities {
  const hosts = (): readonly Found[] => {
    if (!store.isComplete) throw new Error('not all objects are listed yet');
    return [...store.values(KINDS.host)].map(({ object }) => ({ id: hostWorkflowId(readMetadata(object)), object }));
  };
  return {
    // Restores the memory of the budgets from the BareMetalHosts, which show whether their step has begun.
    async hostsUnderway({ after }) {
      const rest = hosts()
        .filter(({ id, object }) => id > after && isGuarding(readMetadata(object).annotations))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const requests: PlaceRequest[] = [];
      let bytes = 0;
      for (const found of rest) {
        if (bytes > PAGE) return { requests, next: requests.at(-1)?.holder ?? after };
        const request = requestOf(found);
        if (request === undefined) continue;
        requests.push(request);
        bytes += JSON.stringify(request).length;
      }
      return { requests };
    },

    async namesOfHosts({ shortNames }) {
      return {
        ids: idsOf(
          shortNames,
          hosts().map(({ id }) => id),
        ),
      };
    },
  };
}

function requestOf({ id, object }: Found): PlaceRequest | undefined {
  const parsed = parseBareMetalHost(object);
  const needs = parsed.ok ? placesUnderway(parsed.host) : [];
  if (!parsed.ok || needs.length === 0) return undefined;
  const { uid = '' } = parsed.host.metadata;
  return { holder: id, uid, ticket: ticketOf(uid, SHOWN), needs, underway: true };
}
