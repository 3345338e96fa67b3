import type { Live } from '../terminal/live.ts';
import { type HostLine, isSettled } from './host-progress.ts';
import { hostTable } from './table.ts';
import { watchHosts } from './watch.ts';

export interface FollowedHosts {
  /** Returns when these hosts are in their desired state or show an error, or when the signal aborts. */
  settled(names: readonly string[], signal: AbortSignal): Promise<readonly HostLine[]>;
}

/** Shows the hosts while somebody watches. */
export async function followHosts(live: Live, kubeconfig: string): Promise<FollowedHosts> {
  let hosts: () => readonly HostLine[] = () => [];
  const changed = live.table(({ rows, columns }) =>
    hostTable(hosts(), { limit: Math.max(rows - 7, 3), width: columns }),
  );
  hosts = await watchHosts(kubeconfig, (now, before) => changed(lineOf(now, before)), live.ended);
  return {
    settled: async (names, signal) => {
      const ours = (): readonly HostLine[] => hosts().filter(({ name }) => names.includes(name));
      await live.until(() => ours().length === names.length && ours().every(isSettled), signal);
      return ours();
    },
  };
}

function lineOf(now: HostLine | undefined, before: HostLine | undefined): string {
  if (now === undefined) return `${before?.name}  gone`;
  const { state: was = '' } = before ?? {};
  const state = was === '' || was === now.state ? now.state : `${was} → ${now.state}`;
  const power = now.power === '' ? '' : `, power ${now.power}`;
  const error = now.error === undefined ? '' : `: ${now.error}`;
  return `${now.name}  ${state === '' ? 'new' : state}${power}${error}`;
}
