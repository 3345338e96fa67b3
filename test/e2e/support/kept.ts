import type { AnyLab } from './hosts.ts';

export interface ProcessesWithMetrics {
  readonly bridgeMetrics?: string;
  readonly workersMetrics?: string;
}

/** What bridge and workers keep in memory, as they show it: entries by process and by what they are. */
export async function keptBy(lab: AnyLab & { readonly endpoints: ProcessesWithMetrics }): Promise<Kept> {
  const { bridgeMetrics, workersMetrics } = lab.endpoints;
  const all = await Promise.all([sizesAt('bridge', bridgeMetrics), sizesAt('workers', workersMetrics)]);
  return Object.fromEntries(all.flat());
}

export type Kept = Readonly<Record<string, number>>;

async function sizesAt(process: string, address = ''): Promise<(readonly [string, number])[]> {
  const text = await (await fetch(address)).text();
  const lines = text.matchAll(/^temper_kept\{what="(?<what>[^"]+)"\} (?<size>\d+)$/gm);
  return [...lines].map(({ groups = {} }) => [`${process} ${groups['what']}`, Number(groups['size'])] as const);
}
