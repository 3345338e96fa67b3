import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import type { ProxySettings } from './settings.ts';

export interface ProxyOptions {
  readonly dir: string;
  readonly port: number;
  readonly upstream: string;
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly caFile: string };
  readonly env: Readonly<Record<string, string>>;
}

/** Prepares the recording proxy in front of Ironic. */
export const prepareProxy = async ({ dir, port, upstream, tls, env }: ProxyOptions): Promise<Service> => {
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'settings.json');
  const settings: ProxySettings = {
    port,
    upstream,
    logFile: join(dir, 'requests.jsonl'),
    ...(tls ? { tls: { certFile: tls.certFile, keyFile: tls.keyFile } } : {}),
  };
  await writeFile(file, JSON.stringify(settings, null, 2));
  const ca = tls && (await readFile(tls.caFile, 'utf8'));
  return {
    name: 'ironic-proxy',
    command: process.execPath,
    args: [join(import.meta.dirname, 'main.ts'), file],
    env,
    cwd: dir,
    ready: (signal) =>
      answers(
        `${tls ? 'https' : 'http'}://127.0.0.1:${port}/_recorded/summary`,
        signal,
        ca === undefined ? {} : { tls: { ca } },
      ),
  };
};
