import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { type AccountKubeconfigs, HOME } from '../../lab/rights.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { NODE_ENVIRONMENT } from '../../platform/node-flags.ts';
import { cpuSoFar } from '../cpu.ts';
import type { Process, Tree } from './tree.ts';

/** The servers that a process needs until it is ready. */
export interface Servers {
  readonly kubeconfigs: AccountKubeconfigs;
  readonly temporalAddress: string;
  readonly temporalNamespace: string;
  /** The folder with the certificate of the webhooks. */
  readonly certificates: string;
}

/** CPU seconds of one start. */
export interface StartCost {
  /** Until /healthz answers: what the startup probe waits for. */
  readonly alive: number;
  /** Until /readyz does. */
  readonly ready: number;
}

/** A process that does not listen yet is looked at often: that costs it nothing. Each answer of `/readyz` does. */
const LOOK_EVERY_MS = { '/healthz': 10, '/readyz': 100 } as const;

/** Starts a process as its Pod does, and ends it once it is ready. */
export async function startOnce(tree: Tree, name: Process, servers: Servers, signal: AbortSignal): Promise<StartCost> {
  const { ports, release } = await allocatePorts({ health: {}, metrics: {}, webhooks: {} });
  const [, ...args] = tree.commands[name];
  const { PATH = '' } = process.env;
  const child = execa(process.execPath, args, {
    cwd: tree.folder,
    env: {
      PATH,
      NODE_ENV: 'production',
      ...NODE_ENVIRONMENT,
      KUBECONFIG: servers.kubeconfigs[name],
      POD_NAMESPACE: HOME,
      TEMPORAL_ADDRESS: servers.temporalAddress,
      TEMPORAL_NAMESPACE: servers.temporalNamespace,
      PROVISIONER: 'fixture',
      HEALTH_ADDR: `127.0.0.1:${ports.health}`,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      WEBHOOK_HOST: '127.0.0.1',
      WEBHOOK_PORT: String(ports.webhooks),
      WEBHOOK_CERT_DIR: servers.certificates,
    },
    extendEnv: false,
    reject: false,
    // `cpuSoFar` finds processes by their group.
    detached: true,
    cancelSignal: signal,
    all: true,
  });
  let hasEnded = false;
  void child.then(() => (hasEnded = true));
  const used = async (): Promise<number> =>
    (await cpuSoFar({ services: () => [name], pidOf: () => child.pid }))[name] ?? Number.NaN;
  const answers = async (path: keyof typeof LOOK_EVERY_MS): Promise<void> => {
    while (!(await fetch(`http://127.0.0.1:${ports.health}${path}`).catch(() => undefined))?.ok) {
      if (hasEnded) throw new Error(`${name} ended before ${path} answered: ${(await child).all}`);
      await sleep(LOOK_EVERY_MS[path], undefined, { signal });
    }
  };
  try {
    await answers('/healthz');
    const alive = await used();
    await answers('/readyz');
    return { alive, ready: await used() };
  } finally {
    child.kill('SIGTERM');
    await child;
    release();
  }
}

/** The times of a shell are in hundredths of a second, and a command takes a few of them. */
const CALLS = 20;
const SCRIPT = `for call in $(seq ${CALLS}); do "$@" > /dev/null || exit 1; done; times`;

/** CPU seconds of a command of `temper`, with the processes that it starts. */
export async function commandOnce(root: string, args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = [process.execPath, join(root, 'scripts/temper.mjs'), ...args];
  const options = { cwd: root, stdin: 'ignore', cancelSignal: signal } as const;
  const { stdout } = await execa('sh', ['-c', SCRIPT, 'sh', ...command], options);
  // The shell's own times stand in the first line, those of its children in the second.
  const [, children = ''] = stdout.trim().split('\n');
  return secondsIn(children) / CALLS;
}

/** The sum of times such as `0m1.25s 0m0.10s`. */
export const secondsIn = (times: string): number =>
  [...times.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
