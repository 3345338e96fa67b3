import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { SOURCES } from '../../../../deploy/image/stage.ts';
import type { FixtureEndpoints } from '../../../../lab/lab.ts';
import { allocatePorts } from '../../../../lab/supervisor/ports.ts';
import { NODE_FLAGS } from '../../../../platform/node-flags.ts';
import { ROOT } from '../start.ts';

/** What a newer release changes. `from` occurs once in the file. */
export interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A copy of the program with other workflow code. */
export async function makeRelease(folder: string, changes: readonly Change[]): Promise<string> {
  for (const part of [...SOURCES, 'package.json', 'package-lock.json'])
    await cp(join(ROOT, part), join(folder, part), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of changes) {
    const text = await readFile(join(folder, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not contain once: ${from}`);
    await writeFile(join(folder, file), text.replace(from, to));
  }
  return folder;
}

export interface Workers {
  readonly log: () => string;
  /** The answer of /readyz. */
  readiness(): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<unknown>;
}

/** Starts the workers of a release, beside those of the lab. */
export async function startWorkers(
  folder: string,
  { kubeconfig, temporalAddress, temporalNamespace }: FixtureEndpoints,
  env: Readonly<Record<string, string>>,
): Promise<Workers> {
  const { ports, release } = await allocatePorts({ health: {}, metrics: {} });
  const health = `127.0.0.1:${ports.health}`;
  const child = execa(process.execPath, [...NODE_FLAGS.workers, join(folder, 'workers/main.ts')], {
    cwd: folder,
    env: {
      KUBECONFIG: kubeconfig,
      TEMPORAL_ADDRESS: temporalAddress,
      TEMPORAL_NAMESPACE: temporalNamespace,
      PROVISIONER: 'fixture',
      HEALTH_ADDR: health,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      METRICS_INSECURE: 'true',
      ...env,
    },
    reject: false,
    all: true,
    buffer: false,
  });
  let log = '';
  child.all.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  return {
    log: () => log,
    readiness: () =>
      fetch(`http://${health}/readyz`).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        (error: unknown) => ({ status: 0, text: String(error) }),
      ),
    async stop() {
      child.kill('SIGTERM');
      await child;
      release();
    },
  };
}
