import type { Metrics } from './registry.ts';

/** How many entries each part keeps in memory, by what they are. Parts that keep something for objects offer this. */
export type KeptSizes = Readonly<Record<string, () => number>>;

/** Shows the sizes as the gauge `temper_kept`: what keeps growing is found before the memory is full. */
export function measureKept(metrics: Metrics, sizes: KeptSizes): void {
  for (const [what, size] of Object.entries(sizes))
    metrics.onRead(`kept/${what}`, () => metrics.record({ name: 'temper_kept', labels: { what }, value: size() }));
}
