import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { answers } from '../http/answers.ts';
import type { IronicLogin } from '../http/password-file.ts';
import type { Service } from '../service.ts';
import { IRONIC_FOLDERS, type IronicConf, renderIronicConf } from './conf.ts';
import { ensureDatabase } from './database.ts';
import type { Venv } from './venv.ts';

export interface IronicServiceOptions {
  readonly conf: IronicConf;
  readonly venv: Venv;
  readonly login?: IronicLogin;
  readonly ca?: string;
  readonly report: (message: string) => void;
}

/** The first API version with conductors. */
const CONDUCTORS_VERSION = { 'X-OpenStack-Ironic-API-Version': '1.49' } as const;

/** The conductor is ready when it has registered itself; the API answers a little earlier. */
const hasConductor = (body: string): boolean => body.includes('"alive": true') || body.includes('"alive":true');

/** Prepares Ironic's configuration, folders and database. */
export const prepareIronicService = async ({
  conf,
  venv,
  login,
  ca,
  report,
}: IronicServiceOptions): Promise<Service> => {
  for (const folder of IRONIC_FOLDERS) await mkdir(join(conf.dir, folder), { recursive: true });
  const file = join(conf.dir, 'ironic.conf');
  await writeFile(file, renderIronicConf(conf), { mode: 0o600 });
  await ensureDatabase(venv, join(conf.dir, 'ironic.sqlite'), report);
  return {
    name: 'ironic',
    command: venv.bin('ironic'),
    args: ['--config-file', file],
    env: {
      PATH: [join(import.meta.dirname, 'bin'), process.env['PATH'] ?? ''].join(delimiter),
      PYTHONPATH: join(import.meta.dirname, 'python'),
      PYTHONDONTWRITEBYTECODE: '1',
      TEMPER_VENV: venv.dir,
      TMPDIR: join(conf.dir, 'tmp'),
      // The user's network proxy must not be used between servers on one computer.
      no_proxy: '127.0.0.1,localhost',
      NO_PROXY: '127.0.0.1,localhost',
    },
    cwd: conf.dir,
    ready: (signal) =>
      answers(`${conf.ownUrl}/v1/conductors`, signal, {
        ...(login ? { login } : {}),
        ...(ca === undefined ? {} : { tls: { ca } }),
        headers: CONDUCTORS_VERSION,
        enough: hasConductor,
      }),
  };
};

/** The credentials of an Ironic with http_basic, created on first use and kept in the two files that Metal3 expects. */
export const ensureLogin = async (authRootDir: string, newPassword: () => string): Promise<IronicLogin> => {
  const dir = join(authRootDir, 'ironic');
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const keep = async (name: string, value: string): Promise<string> => {
    const path = join(dir, name);
    await writeFile(path, value, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return readFile(path, 'utf8');
  };
  return { username: await keep('username', 'temper'), password: await keep('password', newPassword()) };
};
