/**
 * The flags of Node that our processes are started with. By default Node keeps up to 130 MB for new objects in each thread, and lets
 * the rest of a heap grow to four times the size of the objects in use. Most of the process is then garbage. The module is
 * relative to the working directory, which is the root of the repository or of the image.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=8',
  '--heap-growing-percent=50',
  '--require=./platform/temporal/preload.ts',
];

/**
 * And with this environment. By default glibc keeps freed memory in up to eight arenas for each CPU: after a hundred hosts, workers with
 * their threads of Node and of Temporal's SDK took 522 MB, with two arenas 368 MB, and no more CPU time.
 */
export const NODE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;
