import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { answers } from '../../../lab/http/answers.ts';
import { ensureVenv } from '../../../lab/ironic/venv.ts';
import type { TestLab } from '../../e2e/support/lab.ts';

/** Only Ironic's combined program may work without a transport; nothing listens at the other end of this one. */
const ALONE = `[DEFAULT]
rpc_transport = json-rpc

[json_rpc]
auth_strategy = noauth

[api]
api_workers = 1
`;

/** A busy computer needs most of it. */
const STARTED_WITHIN_MS = 180_000;
const DRIVERS_VERSION = { 'X-OpenStack-Ironic-API-Version': '1.89' } as const;

/** Without a conductor, Ironic has no drivers. */
const hasNoDrivers = (body: string): boolean => /"drivers": *\[\]/.test(body);

/**
 * Starts Ironic's API alone, with the database and at the address of the lab's Ironic, whose API and conductor are one
 * program. That must have ended with SIGTERM, because its conductor signs off then.
 */
export async function startApiWithoutConductor(lab: TestLab): Promise<{ stop(): Promise<void> }> {
  const venv = await ensureVenv();
  const dir = join(lab.dir, 'ironic');
  const alone = join(dir, 'api-alone.conf');
  await writeFile(alone, ALONE);
  const api = execa(venv.bin('ironic-api'), ['--config-file', join(dir, 'ironic.conf'), '--config-file', alone], {
    cwd: dir,
    env: { TMPDIR: join(dir, 'tmp') },
    stdio: 'ignore',
    reject: false,
    forceKillAfterDelay: 30_000,
  });
  const stop = async (): Promise<void> => {
    api.kill('SIGTERM');
    await api;
  };
  const ended = new AbortController();
  void api.then(({ shortMessage = 'ended at once' }) => ended.abort(new Error(`ironic-api: ${shortMessage}`)));
  try {
    await answers(
      `${lab.endpoints.ironicDirect}drivers`,
      AbortSignal.any([ended.signal, AbortSignal.timeout(STARTED_WITHIN_MS)]),
      { headers: DRIVERS_VERSION, enough: hasNoDrivers },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
