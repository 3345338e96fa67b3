import type { FixtureLab, Lab } from '../lab.ts';
import type { Live } from '../terminal/live.ts';
import { createMissing } from './apply.ts';
import { exampleHosts, hostRelocations } from './examples.ts';
import type { FollowedHosts } from './follow.ts';
import { isHost } from './manifests.ts';
import { howToWatchHosts, whatToTryOnHosts } from './words.ts';

export interface HostsStory {
  /** File with hosts for the preferred ports. */
  readonly file: string;
  /** Exactly this number of hosts, instead of those in the file. */
  readonly count: number | undefined;
}

/** Applies hosts, and waits until they are in their desired state. Returns the errors of the others. */
export async function tellHosts(
  lab: Pick<Lab | FixtureLab, 'endpoints' | 'machines'>,
  { live, hosts, signal }: { readonly live: Live; readonly hosts: FollowedHosts; readonly signal: AbortSignal },
  { file, count }: HostsStory,
): Promise<readonly string[]> {
  for (const { from, to } of hostRelocations(lab.endpoints)) {
    live.note(`${from} of ${file} is in use: the hosts are applied with ${to}`);
  }
  const manifests = exampleHosts(lab, { file, count });
  await createMissing(lab.endpoints.kubeconfig, manifests);
  live.note(howToWatchHosts(lab.endpoints.kubeconfig));
  const names = manifests.filter(isHost).map(({ metadata }) => metadata.name);
  const settled = await hosts.settled(names, signal);
  const missing = settled.filter((host) => !host.isThere);
  if (missing.length === 0) live.note(whatToTryOnHosts(lab.endpoints.kubeconfig));
  return missing.map(
    ({ name, error, state, wanted }) =>
      `${name}: ${error ?? `still ${state === '' ? 'without a state' : state}, not ${wanted}`}`,
  );
}
