import { areComparable, type Seen } from '../../entity/seen.ts';
import { same } from '../../same.ts';
import { isOlder } from './memory.ts';

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
