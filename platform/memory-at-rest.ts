/** A thread that uses less of a core is at rest. */
const BUSY_SHARE = 0.05;
const LOOK_EVERY_MS = 20_000;
/** A process that takes less than this has little to return; MB. */
const SMALL_MB = 300;
/** A collection is worth its price again when the process has grown by so much since the last one. */
const GROWN = 1.25;

interface Thread {
  /** The CPU time of this thread until now; ms. */
  readonly cpu: () => number;
  /** ms */
  readonly now: () => number;
  /** The resident memory of the process; MB. */
  readonly memory: () => number;
  /** Collects all garbage, and returns the memory to the system. */
  readonly collect: () => void;
}

/**
 * Returns a function that is called at regular times. At rest after work it collects the garbage of a large process. V8
 * keeps the pages of its heap that have become empty until a collection that is to reduce memory. Its own ones of that
 * kind run only in threads that spend little time with collections, and ours spend some, so that less garbage is kept.
 * The price: compiled code is thrown away with the garbage, so the next change takes half a second longer.
 */
export function createRest({ cpu, now, memory, collect }: Thread): () => void {
  const measure = () => ({ cpu: cpu(), now: now() });
  let hasWorked = true;
  let worthFrom = SMALL_MB;
  let before = measure();
  return () => {
    const used = (cpu() - before.cpu) / (now() - before.now);
    if (used >= BUSY_SHARE) hasWorked = true;
    else if (hasWorked) {
      hasWorked = false;
      if (memory() >= worthFrom) {
        collect();
        worthFrom = Math.max(SMALL_MB, memory() * GROWN);
      }
    }
    // Measured after the collection, whose own time is not work.
    before = measure();
  };
}

/** Returns the memory of this thread when it comes to rest, if Node was started with `--expose-gc`. */
export function returnMemoryAtRest(): void {
  const { gc } = globalThis;
  if (gc === undefined) return;
  const look = createRest({
    cpu: () => {
      const { user, system } = usage();
      return (user + system) / 1_000;
    },
    now: () => performance.now(),
    memory: () => process.memoryUsage.rss() / 1e6,
    collect: () => gc({ type: 'major', flavor: 'last-resort', execution: 'sync' }),
  });
  setInterval(look, LOOK_EVERY_MS).unref();
}

/** Node 22 measures only the whole process. */
const usage = (): NodeJS.CpuUsage => process.threadCpuUsage?.() ?? process.cpuUsage();
