import { fileURLToPath } from 'node:url';

/** `preload`: the module that each thread loads first. */
const flagsWith = (preload: string) => {
  const forBoth = ['--expose-gc', `--require=${preload}`];
  return {
    bridge: ['--max-semi-space-size=2', '--heap-growing-percent=15', ...forBoth],
    workers: ['--max-semi-space-size=8', '--heap-growing-percent=30', ...forBoth],
  } as const;
};

/**
 * The flags of Node that our processes are started with. By default Node keeps up to 130 MB for new objects in each
 * thread, and lets the rest of a heap grow to four times the size of the objects in use. Most of the process is then
 * garbage. The less garbage is kept, the more often it is collected.
 *
 * The bridge has three threads with a heap, and most of its objects live as long as it does: after 300 hosts it took
 * 281 MB with 4 MB for each half of the new objects and 250 to 272 with 2, in the same CPU time. The workers make many
 * objects that live as long as a workflow task: with 8 MB instead of 4, and a heap that grows by 30 % instead of 15,
 * they took 413 MB instead of 393 and a tenth less CPU time. With 16 MB they took 442, in the CPU time of 8.
 *
 * With `--expose-gc` they return memory when they are at rest (`memory-at-rest.ts`). The working directory is the root of
 * the repository.
 */
export const NODE_FLAGS = flagsWith('./platform/temporal/preload.ts');

/** The same for the programs that are bundled for the image, with the image's working directory. */
export const IMAGE_FLAGS = flagsWith('./programs/preload.js');

/**
 * The environment that our processes are started with. By default glibc keeps freed memory in up to eight arenas for
 * each CPU. After the first large buffers, it takes buffers of up to 32 MB from an arena, and returns the end of an
 * arena only when 64 MB of it are free. After 500 hosts, workers with the threads of Node and of Temporal's SDK took
 * 685 MB with glibc's own thresholds, and 562 MB with these, which are the ones that glibc begins with.
 */
export const NODE_ENVIRONMENT = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
} as const;

/**
 * The folder in which Node caches compiled modules: hundreds of processes load the same ones. A thread whose modules
 * are all in it does not load the compiler of TypeScript either, which takes about 10 MB of each thread. It is for
 * checkouts alone: an image is read-only.
 */
export const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../node_modules/.cache/temper/node', import.meta.url)),
} as const;
