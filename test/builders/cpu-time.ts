/**
 * Milliseconds of CPU time that the work takes in this thread, as a quiet core of a usual computer would need them: a
 * slow or busy one takes longer for a known piece of work too, which is measured beside it. The least of some runs
 * counts, because the first one may compile the code, and any may collect garbage.
 */
export function cpuTimeOf(work: () => unknown, runs = 3): number {
  const times = Array.from({ length: runs }, () => {
    const slowness = Math.max(1, measured(known) / USUAL_MS);
    return measured(work) / slowness;
  });
  return Math.min(...times);
}

/** True when the work takes more than this many such milliseconds. Only work that seems to is measured in comparison. */
export const takesLonger = (work: () => unknown, thanMs: number): boolean =>
  measured(work) > thanMs && cpuTimeOf(work) > thanMs;

function measured(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const TEXT = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => ({ [`key-${at}`]: [at, 'text'] })));
const known = (): unknown => JSON.parse(TEXT);
/** CPU time (ms) of the known work on a quiet core of an AMD EPYC. */
const USUAL_MS = 12;
