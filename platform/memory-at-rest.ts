/** A thread that uses less of a core is at rest. */
const BUSY_SHARE = 0.05;
const LOOK_EVERY_MS = 20_000;

interface Thread {
  /** The CPU time of this thread until now; ms. */
  readonly cpu: () => number;
  /** ms */
  readonly now: () => number;
  /** Collects all garbage, and returns the memory to the system. */
  readonly collect: () => void;
}

/**
 * Returns a function that is called at regular times, and collects garbage once after each time of work. V8 keeps the
 * pages of its heap that have become empty until a collection that is to reduce memory. Its own ones of that kind run
 * only in threads that spend little time with collections, and ours spend some, so that less garbage is kept.
 */
export function createRest({ cpu, now, collect }: Thread): () => void {
  const measure = () => ({ cpu: cpu(), now: now() });
  let isDue = true;
  let before = measure();
  return () => {
    const used = (cpu() - before.cpu) / (now() - before.now);
    if (used >= BUSY_SHARE) isDue = true;
    else if (isDue) {
      isDue = false;
      collect();
    }
    // Measured after the collection, whose own time is not work.
    before = measure();
  };
}

/** Returns the memory of this thread whenever it comes to rest, if Node was started with `--expose-gc`. */
export function returnMemoryAtRest(lookEveryMs = LOOK_EVERY_MS): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  const look = createRest({
    cpu: () => {
      const { user, system } = usage();
      return (user + system) / 1_000;
    },
    now: () => performance.now(),
    collect: () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
  });
  setInterval(look, lookEveryMs).unref();
}

/** Node 22 measures only the whole process. */
const usage = (): NodeJS.CpuUsage => process.threadCpuUsage?.() ?? process.cpuUsage();
