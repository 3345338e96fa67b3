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
