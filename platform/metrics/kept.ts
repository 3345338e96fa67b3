import type { Metrics } from './registry.ts';

/** Number of entries that each part keeps in memory, by a name. Parts that keep something for objects offer this. */
export type KeptSizes = Readonly<Record<string, () => number>>;

/**
 * Reports the sizes as the gauge `temper_kept`, so that a part that keeps growing is found before the memory is full.
 */
export function measureKept(metrics: Metrics, sizes: KeptSizes): void {
  for (const [what, size] of Object.entries(sizes))
    metrics.onRead(`kept/${what}`, () => metrics.record({ name: 'temper_kept', labels: { what }, value: size() }));
}
