/**
 * Milliseconds of CPU time that the work takes in this thread: the least of some runs, because the first one may
 * compile the code, and any may collect garbage. Other work of the computer does not count.
 */
export function cpuTimeOf(work: () => unknown, runs = 3): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
