import { once } from 'node:events';
import { access, constants, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { isInstalled } from './program.ts';
import type { TemporalCertificates } from './temporal-certificates.ts';

const PAGE = fileURLToPath(new URL('../../docs/temporal.md', import.meta.url));
/** Debian installs nginx in a folder that is not in the PATH of users. */
const FOLDERS = ['/usr/sbin', ...(process.env['PATH'] ?? '').split(delimiter)];

/** A request as the access log of nginx has it. */
export interface NginxCall {
  /** Name of the gRPC method. */
  readonly method: string;
  readonly status: number;
  /** Subject of the client's certificate. */
  readonly client: string;
}

export interface TemporalNginx {
  readonly address: string;
  /** The requests that have been answered. */
  calls(): Promise<readonly NginxCall[]>;
  stop(): Promise<void>;
}

/** undefined when nginx is not installed; at night, an error. */
export async function nginxPath(): Promise<string | undefined> {
  const program = await pathOfNginx();
  const isThere = await isInstalled(program, 'nginx-light', 'Temporal behind a proxy that is not ours', '-v');
  return isThere ? program : undefined;
}

async function pathOfNginx(): Promise<string> {
  for (const folder of FOLDERS) {
    const path = join(folder, 'nginx');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return 'nginx';
}

interface Demanded {
  readonly certificates: TemporalCertificates;
  readonly apiKey: string;
}

/**
 * Runs nginx with the configuration of docs/temporal.md in front of a Temporal without TLS, with all its files in
 * `dir`.
 */
export async function startTemporalNginx(
  program: string,
  dir: string,
  upstream: string,
  { certificates: { authority, server }, apiKey }: Demanded,
): Promise<TemporalNginx> {
  const { port } = (await allocatePorts({ port: {} })).ports;
  const address = `127.0.0.1:${port}`;
  const files = {
    'temporal.crt': server.cert,
    'temporal.key': server.key,
    'clients-ca.crt': authority.cert,
    'temporal-api-keys': `"Bearer ${apiKey}" 1;\n`,
    'nginx.conf': configuration(dir, documented(await readFile(PAGE, 'utf8'), { dir, address, upstream })),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content, { mode: 0o600 });
  const errors = join(dir, 'error.log');
  const nginx = execa(program, ['-p', dir, '-e', errors, '-c', join(dir, 'nginx.conf')], { reject: false });
  const failed = nginx.then(async () => {
    throw new Error(`nginx has ended: ${await readFile(errors, 'utf8')}`);
  });
  await Promise.race([untilListening(port), failed]);
  failed.catch(() => undefined);
  return {
    address,
    async calls() {
      const lines = (await readFile(join(dir, 'access.log'), 'utf8')).split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as NginxCall);
    },
    async stop() {
      nginx.kill('SIGTERM');
      await nginx;
    },
  };
}

interface Place {
  readonly dir: string;
  readonly address: string;
  readonly upstream: string;
}

/** The part of the configuration that the page shows, at other addresses and with other files. */
function documented(page: string, { dir, address, upstream }: Place): string {
  let [, block = ''] = /^```nginx\n([^]*?)^```$/m.exec(page) ?? [];
  for (const [there, here] of [
    ['listen 7234 ', `listen ${address} `],
    ['grpc://127.0.0.1:7233', `grpc://${upstream}`],
    ['/etc/nginx/', `${dir}/`],
  ] as const) {
    if (!block.includes(there)) throw new Error(`the page on Temporal has no nginx with ${there}`);
    block = block.replaceAll(there, here);
  }
  return block;
}

/**
 * The configuration that the page leaves to the distribution. Started as root, nginx stays root: no other user may open
 * the files.
 */
const configuration = (dir: string, servers: string): string => `
daemon off;
pid ${dir}/nginx.pid;
worker_processes 1;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${dir}/${of};`).join('\n  ')}
  map $uri $method { ~/(?<name>[^/]+)$ $name; default ''; }
  log_format calls escape=json '{"method":"$method","status":$status,"client":"$ssl_client_s_dn"}';
  access_log ${dir}/access.log calls;
${servers}
}
`;

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(50);
  }
}
