import type { Ending } from '../../entity/entity.ts';
import { areComparable, type Seen } from '../../entity/seen.ts';
import { same } from '../../same.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import { isOlder, isUpToDate, type MachineMemory } from './memory.ts';
import type { HostAnswer } from './step.ts';

interface Versioned {
  readonly uid: string;
  readonly resourceVersion: string;
}

type SeenWith<Host> = Pick<Seen, 'versionsSince'> & { readonly host?: Host };

/**
 * The host that is known after an action, from its answer and the snapshots before and after the action. A snapshot that
 * came during the action may be newer than the answer: a host that it lacks is gone, and waiting for it would never end.
 */
export function hostAfter<Host extends Versioned | null>(
  answer: Host,
  before: SeenWith<Host>,
  after: SeenWith<Host>,
): Host | undefined {
  const { host } = after;
  if (!areComparable(before, after)) return host;
  if (same(host, before.host)) return answer;
  if (!host || !answer) return host === undefined && answer?.uid !== before.host?.uid ? answer : host;
  return host.uid === answer.uid && isOlder(host, answer) ? answer : host;
}

/** What both kinds of machines remember of their host and of the search for one. */
interface WithHost extends Pick<MachineMemory, 'noHost'> {
  readonly seen: SeenWith<HostFacts> & Pick<MachineMemory['seen'], 'hostNews'>;
}

/** What a snapshot has shown during the action is newer than its answer, or is told again by a later snapshot. */
const isHostUnchanged = ({ seen }: WithHost, { before }: Pick<Ending<WithHost>, 'before'>): boolean =>
  same(seen.host, before.seen.host);

/** After an action that answers with the host; null: it is gone. */
export function withHostAfter<Memory extends WithHost>(
  memory: Memory,
  answer: HostFacts | null,
  ending: Pick<Ending<Memory>, 'before'>,
): Memory {
  const { host: _, ...seen } = memory.seen;
  if (answer === null) return isHostUnchanged(memory, ending) ? { ...memory, seen } : memory;
  const host = hostAfter(answer, ending.before.seen, memory.seen);
  return host === undefined ? memory : { ...memory, seen: { ...memory.seen, host } };
}

/** The host belongs to another consumer: this is remembered until a snapshot shows a change. */
export function withConsumer<Memory extends WithHost>(
  memory: Memory,
  by: Extract<HostAnswer, { readonly kind: 'taken' }>['by'],
  ending: Pick<Ending<Memory>, 'before'>,
): Memory {
  const { host } = memory.seen;
  if (host === undefined || !isHostUnchanged(memory, ending)) return memory;
  const { consumer: _, ...rest } = host;
  return { ...memory, seen: { ...memory.seen, host: by === null ? rest : { ...rest, consumer: by } } };
}

/** News that arrived during the search leads to a new search at once. */
export const withNoHost = <Memory extends WithHost>(
  memory: Memory,
  { reason, news }: NonNullable<MachineMemory['noHost']>,
): Memory => ({ ...memory, noHost: isUpToDate(memory.seen, { reason, news }) ? { reason, news } : null });
