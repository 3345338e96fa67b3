import { parentPort, workerData } from 'node:worker_threads';
import type { Measurement } from '../../../platform/metrics/registry.ts';
import type { FromThread, ThreadOptions, ToThread } from './isolated-server.ts';
import { createLane } from './lane.ts';
import { LIMITS } from './limits.ts';
import { serveReviews } from './server.ts';

/** Serves the webhooks in a thread; `isolated-server.ts` starts it. */
const HEAP_MB = { small: 256, large: 1_024 };
/** A thread for large bodies ends after this time without work, because it has grown by hundreds of megabytes. */
const LARGE_ENDS_AFTER_MS = 30_000;
/** Longer than a thread needs to start on a machine with other work. */
const START_MS = 60_000;
const MEASURED_EVERY_MS = 100;

const { kinds, ...options } = workerData as ThreadOptions;
const tell = (message: FromThread): void => parentPort?.postMessage(message);

/** Measurements are sent together, because each message takes time of the controller's thread. */
let measurements: Measurement[] = [];
const record = (measurement: Measurement): void => {
  if (measurements.push(measurement) > 1) return;
  setTimeout(() => {
    tell({ kind: 'measured', measurements });
    measurements = [];
  }, MEASURED_EVERY_MS);
};

const { small, large } = LIMITS.threadMs;
const thread = { program: new URL('./answer-thread.ts', import.meta.url), kinds, startMs: START_MS };
const lanes = {
  small: createLane({ ...thread, timeMs: small, heapMb: HEAP_MB.small }),
  large: createLane({ ...thread, timeMs: large, heapMb: HEAP_MB.large, endAfterMs: LARGE_ENDS_AFTER_MS }),
};

// Before the first thread runs, no review would be answered in time. The paths are known there alone: what reads and
// judges objects is large, and not loaded into this thread.
const paths = await lanes.small.warmUp();
const server = await serveReviews({
  ...options,
  paths,
  answer: (path, { bytes, size }, signal) => lanes[size].answer({ path, body: bytes }, signal),
  log: {
    info: (fields, message) => tell({ kind: 'log', level: 'info', fields, message }),
    warn: (fields, message) => tell({ kind: 'log', level: 'warn', fields, message }),
    error: (fields, message) => tell({ kind: 'log', level: 'error', fields, message }),
  },
  record,
});

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'use') server.use(message.pair);
  else
    void server
      .close()
      .then(() => Promise.all([lanes.small.close(), lanes.large.close()]))
      .then(() => parentPort?.close());
});
tell({ kind: 'listening', port: server.port });
