import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers } from '../../http/answers.ts';

/** A control plane that one machine can serve. */
export interface Seat {
  readonly cluster: string;
  readonly endpoint: { readonly host: string; readonly port: number };
  /** CA of the cluster, PEM. */
  readonly ca: string;
  /** Programs with their arguments, the API server first. */
  readonly programs: readonly { readonly name: string; readonly path: string; readonly args: readonly string[] }[];
}

export interface ControlPlaneProcesses {
  /** Adds a machine that can serve the cluster; returns when some machine serves it. */
  join(machine: string, seat: Seat, signal: AbortSignal): Promise<void>;
  /** Removes a machine that was powered off; another one takes over, if there is one. */
  leave(machine: string): Promise<void>;
}

interface Endpoint {
  /** The seats in the order in which they joined. */
  readonly seats: Map<string, Seat>;
  serving?: { readonly machine: string; readonly stop: () => Promise<void> };
}

const STOP_MS = 5_000;
const AGAIN_MS = 1_000;

/**
 * The endpoint of a cluster is one address, which one control plane machine serves at a time, like a virtual IP: the
 * processes belong to that machine and end when it is powered off.
 */
export function controlPlaneProcesses(logsDir: string): ControlPlaneProcesses {
  const endpoints = new Map<string, Endpoint>();
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work, work);
    turn = next.catch(() => undefined);
    return next;
  };
  const serveBy = (endpoint: Endpoint): void => {
    const [first] = endpoint.seats;
    if (endpoint.serving !== undefined || first === undefined) return;
    const [machine, seat] = first;
    endpoint.serving = { machine, stop: run(seat, logsDir) };
  };
  return {
    join: async (machine, seat, signal) => {
      await inTurn(async () => {
        const key = `${seat.endpoint.host}:${seat.endpoint.port}`;
        const endpoint = endpoints.get(key) ?? { seats: new Map<string, Seat>() };
        endpoints.set(key, endpoint);
        endpoint.seats.set(machine, seat);
        serveBy(endpoint);
      });
      const { host, port } = seat.endpoint;
      await answers(`https://${host}:${port}/readyz`, signal, { tls: { ca: seat.ca } });
    },
    leave: (machine) =>
      inTurn(async () => {
        for (const endpoint of endpoints.values()) {
          endpoint.seats.delete(machine);
          if (endpoint.serving?.machine !== machine) continue;
          await endpoint.serving.stop();
          delete endpoint.serving;
          serveBy(endpoint);
        }
      }),
  };
}

/** Runs the programs of a seat and restarts each that ends, until they are stopped. */
function run(seat: Seat, logsDir: string): () => Promise<void> {
  const stopping = new AbortController();
  const keepRunning = async ({ name, path, args }: Seat['programs'][number]): Promise<void> => {
    while (!stopping.signal.aborted) {
      await ended(path, args, join(logsDir, `${seat.cluster}-${name}.log`), stopping.signal);
      await sleep(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = Promise.all(seat.programs.map(keepRunning));
  return async () => {
    stopping.abort();
    await running;
  };
}

/** Runs a program in the process group of this server, so that both end together. */
async function ended(path: string, args: readonly string[], log: string, signal: AbortSignal): Promise<void> {
  const output = openSync(log, 'a');
  const child: ChildProcess = spawn(path, [...args], { stdio: ['ignore', output, output] });
  closeSync(output);
  const over = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const stop = (): void => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  await over;
  signal.removeEventListener('abort', stop);
}
