import { type Markdown, markdown } from '../entity/markdown.ts';
import type { PoolAction } from './action.ts';
import type { PoolMemory } from './memory.ts';
import type { PoolSnapshot } from './snapshot.ts';

/** What people read about a pool in the Web UI. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** '' when nothing is left. */
export function usersOf({ addresses }: PoolSnapshot, unseen: number): string {
  const count = addresses + unseen;
  return count === 0 ? '' : plural(count, 'IPAddress', 'IPAddresses');
}

export function openOf({ seen, troubles, done }: PoolMemory): string {
  const troubled = seen.claims.find(({ uid }) => troubles[uid] !== undefined);
  if (troubled !== undefined) return `${troubled.kind} ${troubled.name}: ${troubles[troubled.uid]?.message ?? ''}`;
  const [own] = Object.values(troubles);
  if (own !== undefined) return own.message;
  const refused = seen.claims.filter(({ uid, deleting }) => !deleting && typeof done[uid] === 'object').length;
  return refused === 0 ? 'a claim' : `${plural(refused, 'claim gets', 'claims get')} no address`;
}

export function summaryOf(action: PoolAction): string {
  if (action.name === 'link') return `Link to Cluster ${action.cluster}`;
  const words = { give: 'give', show: 'show', release: 'release', refuse: 'refuse', 'let go': 'let go' } as const;
  const kinds = Object.keys(words) as (keyof typeof words)[];
  const parts = kinds.flatMap((kind) => {
    const tasks = action.tasks.filter((task) => task.kind === kind);
    const [first] = tasks;
    if (first === undefined) return [];
    const name = first.kind === 'let go' ? first.loose.name : first.claim.name;
    return [`${words[kind]} ${tasks.length === 1 ? name : tasks.length}`];
  });
  const text = parts.join(', ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 190);
}

export const detailsOf = ({ seen, given }: PoolMemory, waitingFor: string): Markdown =>
  markdown`**IPPool ${seen.name}** in ${seen.namespace}: ${plural(seen.addresses + given.length, 'address', 'addresses')} given, ${plural(seen.claims.length, 'claim', 'claims')} open.\n\n${waitingFor}`;
