import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { buildProgram } from '../../lab/binaries/build.ts';
import type { KeyPair } from '../../platform/tls/certificates.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** The server of the Web UI, which has a login; that of the development server has none. */
const WEB_UI = {
  name: 'temporal-ui',
  version: '2.54.1',
  build: { module: 'temporal-ui', package: 'github.com/temporalio/ui-server/v2/cmd/server', ldflags: '-s -w' },
} as const;

export interface WebUiServer {
  readonly origin: string;
  stop(): Promise<void>;
}

export interface WebUiOptions {
  readonly dir: string;
  readonly port: number;
  readonly temporalAddress: string;
  readonly provider: IdentityProvider;
  /** For `localhost`. */
  readonly certificate: KeyPair;
}

/** Builds the Web UI's own server with the installed Go, and runs it over HTTPS with a login. */
export async function startWebUi(options: WebUiOptions): Promise<WebUiServer> {
  const { dir, port, temporalAddress, provider, certificate } = options;
  await mkdir(join(dir, 'config'), { recursive: true });
  const program = await buildProgram(WEB_UI, dir, process.env, () => undefined);
  const origin = `https://localhost:${port}`;
  const [certFile, keyFile] = [join(dir, 'ui.crt'), join(dir, 'ui.key')];
  await writeFile(certFile, certificate.cert);
  await writeFile(keyFile, certificate.key, { mode: 0o600 });
  const config = {
    temporalGrpcAddress: temporalAddress,
    host: '127.0.0.1',
    port,
    enableUi: true,
    disableNewsFetch: true,
    defaultNamespace: 'default',
    cors: { allowOrigins: [origin] },
    uiServerTLS: { certFile, keyFile },
    auth: {
      enabled: true,
      providers: [
        {
          label: 'sso',
          type: 'oidc',
          providerUrl: provider.url,
          clientId: provider.clientId,
          clientSecret: 'unused',
          callbackUrl: `${origin}/auth/sso/callback`,
          scopes: ['openid', 'profile', 'email'],
        },
      ],
    },
  };
  await writeFile(join(dir, 'config', 'test.yaml'), stringify(config));
  const log = join(dir, 'ui.log');
  const ui = execa(program, ['--root', dir, '--config', 'config', '--env', 'test', 'start'], {
    stdin: 'ignore',
    stdout: { file: log },
    stderr: { file: log },
    reject: false,
  });
  const failed = ui.then(async () => {
    throw new Error(`the Web UI has ended: ${await readFile(log, 'utf8')}`);
  });
  failed.catch(() => undefined);
  const answers = vi.waitFor(async () => {
    if (!(await readFile(log, 'utf8')).includes('https server started')) throw new Error('the Web UI does not listen');
  }, 60_000);
  answers.catch(() => undefined);
  await Promise.race([answers, failed]);
  return {
    origin,
    async stop() {
      ui.kill('SIGTERM');
      await ui;
    },
  };
}
