import { areComparable, type Seen } from '../../entity/seen.ts';
import { same } from '../../same.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import { isOlder } from './memory.ts';

type SeenWithHost = Pick<Seen, 'versionsSince'> & { readonly host?: HostFacts };

/**
 * The host of a machine after an action, from the snapshots before and after it. A snapshot that came during the action
 * may be newer than the answer: a host that it lacks is gone, and waiting for it would never end.
 */
export function hostAfter(answer: HostFacts, before: SeenWithHost, after: SeenWithHost): HostFacts | undefined {
  const { host } = after;
  if (!areComparable(before, after)) return host;
  if (same(host, before.host)) return answer;
  if (host === undefined) return before.host?.uid === answer.uid ? undefined : answer;
  return host.uid === answer.uid && isOlder(host, answer) ? answer : host;
}
