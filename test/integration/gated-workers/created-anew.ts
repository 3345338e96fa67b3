import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { installTemporal, temporalMetrics } from '../../../platform/temporal/runtime.ts';
import { createTaskGate } from '../../../platform/temporal/task-gate.ts';
import { keepWorker } from '../../../platform/temporal/worker.ts';
import { plainAccess } from '../../builders/plain-access.ts';

/** Creates a worker anew so often, as with a gate that opens and closes; prints the memory before and after that in MB. */
const [address = '', namespace = '', often = ''] = process.argv.slice(2);
const FIRST = 10;

const megabytes = (): number => {
  globalThis.gc?.();
  const [, kilobytes = ''] = /^Anonymous:\s+(\d+)/m.exec(readFileSync('/proc/self/smaps_rollup', 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_000);
};

const log = pino({ level: 'silent' });
const runtime = installTemporal(log, await temporalMetrics());
const ending = new AbortController();
const gate = createTaskGate();
const sizes: number[] = [];
let created = 0;

function onRunning(isRunning: boolean): void {
  if (!isRunning) return gate.open();
  created += 1;
  if (created === FIRST || created === FIRST + Number(often)) sizes.push(megabytes());
  if (sizes.length === 2) ending.abort();
  // The worker has not begun yet when it says so.
  else setImmediate(gate.close);
}

const options = { taskQueue: 'created-anew', activities: { nothing: () => Promise.resolve() } };
const signalFailing = (): Promise<void> => Promise.resolve();
await keepWorker(
  { temporal: plainAccess(address, namespace), log, options, signalFailing, onRunning, gate },
  ending.signal,
);
await runtime.close();
process.stdout.write(sizes.join(' '));
