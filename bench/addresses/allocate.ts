import { type CpuSeconds, cpuBetween, cpuSoFar, type MeasuredServices } from '../cpu.ts';
import { type Memory, memoryNow } from '../fleet/memory.ts';
import { seconds } from '../spread.ts';
import type { Claims } from './claims.ts';

interface Phase {
  /** From the first request until the last claim shows its address, and released addresses are gone. */
  readonly seconds: number;
  readonly cpu: CpuSeconds;
}

export interface Allocation {
  readonly atOnce: Phase;
  /**
   * The same number of claims again, in steps: in each step, some claims are deleted and the same number of others is
   * created.
   */
  readonly stream: Phase;
  readonly memory: Memory;
}

export interface AllocateOptions {
  readonly count: number;
  readonly say: (line: string) => void;
}

/** Steps of the stream. */
const STEPS = 20;

/** Throws when an address was given twice, or when the pool has a gap where addresses in order would have none. */
export async function allocate(
  claims: Claims,
  services: MeasuredServices,
  { count, say }: AllocateOptions,
): Promise<Allocation> {
  const measured = async (name: string, work: () => Promise<void>): Promise<Phase> => {
    const before = await cpuSoFar(services);
    const began = Date.now();
    await work();
    const phase = { seconds: seconds(Date.now() - began), cpu: cpuBetween(before, await cpuSoFar(services)) };
    say(`  ${name} after ${phase.seconds.toFixed(1)} s`);
    return phase;
  };
  const names = Array.from({ length: 2 * count }, (_, index) => `claim-${String(index).padStart(6, '0')}`);
  const atOnce = await measured('all served', async () => {
    await claims.create(names.slice(0, count));
    await claims.served(names.slice(0, count));
  });
  expectInOrder(claims.given, count);
  const stream = await measured('all replaced', async () => {
    const size = Math.ceil(count / STEPS);
    for (let at = 0; at < count; at += size) {
      const until = Math.min(at + size, count);
      await Promise.all([
        claims.release(names.slice(at, until)),
        claims.create(names.slice(count + at, count + until)),
      ]);
    }
    await claims.served(names.slice(count));
    await claims.left(count);
  });
  expectOnce(claims.given, count);
  return { atOnce, stream, memory: await memoryNow(services) };
}

function expectOnce(given: readonly number[], count: number): void {
  const different = new Set(given).size;
  if (given.length !== count || different !== count)
    throw new Error(`${count} claims have ${given.length} IPAddresses with ${different} different addresses`);
}

function expectInOrder(given: readonly number[], count: number): void {
  expectOnce(given, count);
  const gap = given.findIndex((each, index) => each !== index);
  if (gap !== -1) throw new Error(`the pool has a gap at its address number ${gap}`);
}
