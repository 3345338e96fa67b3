import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { secretPath } from '../../kube/paths.ts';
import { HOME } from '../../lab/rights.ts';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { selfSigned } from '../../platform/tls/certificates.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { type IdentityProvider, openIdentityProvider } from '../builders/identity-provider.ts';
import { startWebUi, type WebUiServer } from '../builders/web-ui-server.ts';
import { accountsOf } from '../integration/accounts.ts';
import { type Browser, hasBrowser, startBrowser } from './support/browser.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab, withoutSlot } from './support/fixture.ts';
import { runsOf } from './support/histories.ts';
import { apply, hostIn, NAMESPACE } from './support/hosts.ts';
import { PATIENCE, type Page } from './support/page.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { ROOT } from './support/start.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';
import { type CodecSettings, logIn, useCodecServer } from './support/web-ui.ts';

/**
 * Payloads are encrypted, and people read them in the Web UI, in a real browser: in that of the development server,
 * which has no login, by way of `temper codec`; and in the Web UI's own server with the token of its login.
 */
const CANARY = 'canary-image-5d20';
const SECRET = 'temper-codec-cert';
const HOST = { namespace: NAMESPACE, name: 'sealed' };
const isBrowserThere = await hasBrowser();
const record = recordCommands('test/e2e/web-ui-codec.test.ts');

let lab: TestFixtureLab;
let folder: string;
let certificate: Awaited<ReturnType<typeof selfSigned>>;
let codecServer: string;
let provider: IdentityProvider;
let withLogin: WebUiServer;
let tokens: Readonly<Record<'reader' | 'stranger', string>>;
/** The id of the run that deployed the image. */
let operation: string;
beforeAll(async () => {
  const shared = inject('sharedLab');
  if (shared === undefined) throw new Error('this file needs a shared lab');
  folder = await mkdtemp(join(tmpdir(), 'temper-codec-'));
  certificate = await selfSigned(['localhost']);
  const { codec, ui } = (await allocatePorts({ codec: {}, ui: {} })).ports;
  codecServer = `https://localhost:${codec}`;
  const certs = join(folder, 'certs');
  await mkdir(certs);
  await writeFile(join(certs, 'tls.crt'), certificate.cert);
  await writeFile(join(certs, 'tls.key'), certificate.key);
  lab = await joinFixtureLab({
    temperEnv: {
      ...QUICK_FIXTURE,
      TEMPORAL_ENCRYPTION_KEYS: `first:${randomBytes(32).toString('base64')}`,
      CODEC_ADDR: `127.0.0.1:${codec}`,
      CODEC_CERT_DIR: certs,
      CODEC_CORS_ORIGINS: `${shared.endpoints.webUi}, https://localhost:${ui}`,
    },
  });
  const accounts = accountsOf(lab.kube, lab.endpoints.kubeconfig);
  tokens = {
    reader: await accounts.tokenOf(NAMESPACE, 'reader'),
    stranger: await accounts.tokenOf(NAMESPACE, 'stranger'),
  };
  const mayGetHosts = { apiGroups: ['metal3.io'], resources: ['baremetalhosts'], verbs: ['get'] };
  await accounts.bind(NAMESPACE, 'reader', 'web-ui-codec-hosts', mayGetHosts);
  await accounts.create(secretPath({ namespace: HOME, name: '' }).replace(/\/$/, ''), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: SECRET },
    stringData: { 'ca.crt': certificate.cert },
  });
  provider = await openIdentityProvider(tokens);
  const { temporalAddress } = lab.endpoints;
  withLogin = await startWebUi({ dir: join(folder, 'ui'), port: ui, temporalAddress, provider, certificate });
  const image = { ...IMAGE, url: `http://192.168.222.1/${CANARY}.img` };
  await apply(lab, fixtureSecret(HOST.name), withoutSlot(fixtureHost(HOST.name, { image })));
  await hostIn(lab, HOST.name, 'provisioned');
  operation = (await runsOf(lab, HOST.name)).find(({ type }) => type === 'provisionWorkflow')?.workflowId ?? '';
});
afterAll(async () => {
  await withLogin?.stop();
  await provider?.close();
  await lab?.kube.request({ method: 'DELETE', path: secretPath({ namespace: HOME, name: SECRET }) });
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const runAt = (origin: string, id: string): string =>
  `${origin}/namespaces/${lab.endpoints.temporalNamespace}/workflows/${encodeURIComponent(id)}`;
const hostRun = (origin: string): string => runAt(origin, hostWorkflowId(HOST));
/** A payload as the Web UI shows it without a codec server, and when that refuses. */
const ENCRYPTED = /^Input\n+(null$|"[\w+/=]{100,}"$)/m;
/** What the icon says about the last request to the codec server. */
const NOT_SET = '[data-testid=data-encoder-status]';
const DECODED = '[data-testid=data-encoder-status-success]';
const FAILED = '[data-testid=data-encoder-status-error]';
const isThere = async (page: Page, selector: string): Promise<boolean> => (await page.texts(selector)).length > 0;

/** `temper codec` with the credentials of a kubeconfig. */
async function startTemperCodec(kubeconfig: string, ...args: readonly string[]) {
  const running = execa(process.execPath, ['cli/main.ts', 'codec', '--port', '0', ...args], {
    cwd: ROOT,
    env: { KUBECONFIG: kubeconfig },
    stdin: 'ignore',
    buffer: { stdout: false, stderr: true },
    reject: false,
  });
  const lines = createInterface(running.stdout);
  const [endpoint] = (await Promise.race([
    once(lines, 'line'),
    running.then(({ stderr }) => Promise.reject(new Error(`temper codec has ended: ${stderr}`))),
  ])) as [string];
  return {
    endpoint,
    /** Ends it; returns what it has said on stderr. */
    async end(): Promise<string> {
      running.kill('SIGTERM');
      return (await running).stderr;
    },
  };
}

describe.skipIf(!isBrowserThere)('payloads of a host in the Web UI', () => {
  let browser: Browser;
  let page: Page;
  const freshBrowser = async (): Promise<void> => {
    await browser?.close();
    browser = await startBrowser([certificate.cert]);
    page = await browser.open('about:blank');
  };
  afterAll(() => browser?.close());

  /** Waits for the input of the deployment, then for its summary in the run of the host. True: by the codec server. */
  async function decrypted(origin: string): Promise<boolean> {
    await page.visit(runAt(origin, operation));
    await expect.poll(() => page.text(), PATIENCE).toContain(CANARY);
    await page.visit(hostRun(origin));
    await expect.poll(() => page.text(), PATIENCE).toContain(`Provision http://192.168.222.1/${CANARY}.img`);
    return isThere(page, DECODED);
  }
  /** Waits for the same pages without payloads; returns their text. `sign`: an icon of the Web UI. */
  async function encrypted(origin: string, sign: string): Promise<string> {
    await page.visit(runAt(origin, operation));
    await expect.poll(() => page.text(), PATIENCE).toMatch(ENCRYPTED);
    await expect.poll(() => isThere(page, sign), PATIENCE).toBe(true);
    const ofOperation = await page.text();
    await page.visit(hostRun(origin));
    await expect.poll(() => page.text(), PATIENCE).toMatch(/^provisionWorkflow$/m);
    return ofOperation + (await page.text());
  }

  describe('without a login', () => {
    let origin: string;
    beforeAll(async () => {
      origin = lab.endpoints.webUi;
      await freshBrowser();
    });

    test('are encrypted', async () => {
      expect(await encrypted(origin, NOT_SET)).not.toContain(CANARY);
    });

    test('are decrypted for who may get the host, with the commands of docs/temporal.md', async () => {
      const block = await blockOf('docs/temporal.md', 'kubectl get secret -n temper-system temper-codec-cert');
      const [getCa = '', , codec = ''] = block.split('\n');
      const here = (command: string): string => command.replace('codec-ca.crt', join(folder, 'codec-ca.crt'));
      const run = record.shell(await createShell(folder, lab.endpoints));
      await run(here(getCa), {});
      const [, args = ''] = /^npx temper codec (.*)$/.exec(here(codec)) ?? [];
      // The kubeconfig of the administrator has a client certificate and no token.
      const account = ['--account', 'reader', '-n', NAMESPACE, '--server', codecServer];
      const proxy = await startTemperCodec(lab.endpoints.kubeconfig, ...args.split(' '), ...account);
      record.ran(`${getCa}\n${codec}`);
      await useCodecServer(page, { endpoint: proxy.endpoint, passToken: false });
      expect(await decrypted(origin)).toBe(true);
      await expectNothingElsewhere(proxy.endpoint);
      expect(await proxy.end()).toContain('Forbidden: CODEC_CORS_ORIGINS has no such origin');
    });

    /** A page of another origin, which has learnt the address, reads nothing. */
    async function expectNothingElsewhere(endpoint: string): Promise<void> {
      const script = `const ask = (mode, type) =>
        fetch('${endpoint}/decode', { method: 'POST', mode, headers: { 'content-type': type }, body: '{"payloads":[]}' })
          .then(async (answer) => answer.type + answer.status + (await answer.text()), (error) => error.name);
      (async () => {
        const answers = [await ask('cors', 'application/json'), await ask('cors', 'text/plain'), await ask('no-cors', 'text/plain')];
        document.body.innerText = 'answers: ' + answers.join(', ') + '.';
      })();`;
      const elsewhere = createServer((_, response) => {
        response.setHeader('content-type', 'text/html').end(`<body><script>${script}</script></body>`);
      });
      elsewhere.listen(0, '127.0.0.1');
      await once(elsewhere, 'listening');
      await page.visit(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`);
      await expect.poll(() => page.text(), PATIENCE).toContain('answers: TypeError, TypeError, opaque0.');
      elsewhere.closeAllConnections();
      elsewhere.close();
    }

    test('stay encrypted for who may not get the host, and the terminal says why', async () => {
      await freshBrowser();
      const accounts = accountsOf(lab.kube, lab.endpoints.kubeconfig);
      const kubeconfig = await accounts.kubeconfigOf(tokens.stranger);
      const ca = join(folder, 'certs', 'tls.crt');
      const proxy = await startTemperCodec(kubeconfig, '--server', codecServer, '--ca', ca);
      await page.visit(hostRun(origin));
      await useCodecServer(page, { endpoint: proxy.endpoint, passToken: false });
      expect(await encrypted(origin, FAILED)).not.toContain(CANARY);
      const who = `system:serviceaccount:${NAMESPACE}:stranger`;
      expect(await proxy.end()).toContain(
        `Forbidden: ${who} may not get baremetalhosts.metal3.io '${HOST.name}' in namespace '${NAMESPACE}'`,
      );
    });
  });

  describe('with a login', () => {
    /** By default with the access token of the login. */
    async function loggedIn(name: keyof typeof tokens, settings?: CodecSettings): Promise<string> {
      const { origin } = withLogin;
      await freshBrowser();
      await page.visit(origin);
      await logIn(page, name);
      await useCodecServer(page, settings ?? { endpoint: codecServer, passToken: true });
      return origin;
    }

    test('are decrypted with the access token of who may get the host', async () => {
      expect(await decrypted(await loggedIn('reader'))).toBe(true);
    });

    test('are decrypted by `temper codec` over plain HTTP, beside the Web UI over HTTPS', async () => {
      const kubeconfig = await accountsOf(lab.kube, lab.endpoints.kubeconfig).kubeconfigOf(tokens.reader);
      const ca = join(folder, 'certs', 'tls.crt');
      const proxy = await startTemperCodec(kubeconfig, '--server', codecServer, '--ca', ca);
      const origin = await loggedIn('stranger', { endpoint: proxy.endpoint, passToken: false });
      expect(await decrypted(origin)).toBe(true);
      await proxy.end();
    });

    test('stay encrypted for who may not get the host', async () => {
      expect(await encrypted(await loggedIn('stranger'), FAILED)).not.toContain(CANARY);
    });
  });
});
