import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { allocatePorts } from '../../lab/supervisor/ports.ts';
import { createCodec } from '../../platform/temporal/encryption/codec.ts';
import { readKeyText } from '../../platform/temporal/encryption/keys.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { SERVER_NAME, temporalCertificates } from '../builders/temporal-certificates.ts';
import { openTemporalGateway, type TemporalGateway } from '../builders/temporal-gateway.ts';
import { createBareTemporalNamespace } from '../builders/temporal-namespace.ts';
import { accountsOf } from '../integration/accounts.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, hostIn, NAMESPACE } from './support/hosts.ts';
import { holds } from './support/needle.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/**
 * As on Temporal Cloud: client certificates, API keys, and nobody may register search attributes. Payloads are
 * encrypted.
 */
const BARE = `${NAMESPACE}-bare`;
const API_KEY = 'key-of-the-lab';
/** In the address of the image, which is in snapshots, orders, views and the memory of runs. */
const CANARY = 'canary-image-7c41';
const PLANTED = 'canary-planted-7c41';
const WEB_UI = 'http://127.0.0.1:18233';

const record = recordCommands('test/e2e/guarded-temporal.test.ts');
let lab: TestFixtureLab;
let gateway: TemporalGateway;
let keyName: string | undefined;
let key: string | undefined;
let codecServer: string;
let run: Awaited<ReturnType<typeof createShell>>;
beforeAll(async () => {
  const shared = inject('sharedLab');
  if (shared === undefined) throw new Error('this file needs a shared lab');
  const { authority, server, client } = await temporalCertificates('the CA of the lab');
  const demands = {
    server,
    clientCa: authority.cert,
    apiKeys: [API_KEY],
    forbidden: ['AddSearchAttributes', 'ListSearchAttributes'],
  };
  gateway = await openTemporalGateway(shared.endpoints.temporalAddress, demands);
  await createBareTemporalNamespace(shared.endpoints.temporalAddress, BARE);
  const folder = join(shared.dir, 'temporal-credentials');
  await mkdir(folder);
  const files = { 'ca.crt': authority.cert, 'tls.crt': client.cert, 'tls.key': client.key, 'api-key': API_KEY };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const keys = join(folder, 'keys');
  await mkdir(keys);
  run = record.shell(await createShell(folder, shared.endpoints));
  await run(await blockOf('docs/temporal.md', 'kubectl create secret generic temper-payload-keys'), {});
  const read = `kubectl get secret temper-payload-keys -o go-template='{{range $name, $text := .data}}{{$name}} {{base64decode $text}}{{"\\n"}}{{end}}'`;
  const mounted = (await run(read, {}))
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  for (const [name = '', text = ''] of mounted) await writeFile(join(keys, name), text);
  const [named = []] = mounted.filter(([name]) => name !== 'current');
  [keyName, key] = named;
  const { port } = (await allocatePorts({ port: {} })).ports;
  codecServer = `http://127.0.0.1:${port}`;
  lab = await joinFixtureLab({
    temperEnv: {
      ...QUICK_FIXTURE,
      TEMPORAL_ENCRYPTION_KEYS_DIR: keys,
      CODEC_ADDR: `127.0.0.1:${port}`,
      CODEC_INSECURE: 'true',
      CODEC_CORS_ORIGINS: WEB_UI,
      TEMPORAL_ADDRESS: gateway.address,
      TEMPORAL_NAMESPACE: BARE,
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'ca.crt'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(folder, 'tls.crt'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(folder, 'tls.key'),
      TEMPORAL_API_KEY_PATH: join(folder, 'api-key'),
    },
  });
});
afterAll(async () => {
  await lab?.stop();
  await gateway?.close();
});

const MAY_GET_HOSTS = { apiGroups: ['metal3.io'], resources: ['baremetalhosts'], verbs: ['get'] };
const ID = hostWorkflowId({ namespace: NAMESPACE, name: 'guarded' });

/** Without keys, as anybody has it who can read Temporal. */
const withBareTemporal = <T>(use: (client: Client) => Promise<T>): Promise<T> =>
  withTemporal({ endpoints: { ...lab.endpoints, temporalNamespace: BARE } }, use);

/** Every history of the namespace as it is stored, by workflow id. */
const storedHistories = (): Promise<ReadonlyMap<string, Buffer>> =>
  withBareTemporal(async (client) => {
    const found = new Map<string, Buffer>();
    for await (const { workflowId, runId } of client.workflow.list()) {
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      found.set(workflowId, Buffer.from(historyToJSON(history)));
    }
    return found;
  });

/** Temporal's own command line, which asks the codec server. */
async function temporal(token: string, ...args: readonly string[]): Promise<string> {
  const { temporalCli, temporalAddress } = lab.endpoints;
  const where = ['--address', temporalAddress, '--namespace', BARE];
  const codec = token === '' ? [] : ['--codec-endpoint', codecServer, '--codec-auth', `Bearer ${token}`];
  const { stdout } = await execa(temporalCli, [...args, ...where, ...codec]);
  return stdout;
}

describe('bridge and workers of a Temporal that is guarded', () => {
  test('provision a host', async () => {
    const image = { ...IMAGE, url: `http://192.168.222.1/${CANARY}.img` };
    await apply(lab, fixtureSecret('guarded'), fixtureHost('guarded', { image }));
    await hostIn(lab, 'guarded', 'provisioned');
    const methods = new Set(gateway.calls.map(({ method }) => method));
    expect([...methods]).toEqual(
      expect.arrayContaining(['SignalWithStartWorkflowExecution', 'RespondWorkflowTaskCompleted']),
    );
  });

  test('tell that runs are not listed by state, and fail no workflow task for it', async () => {
    expect(await readFile(lab.logOf('bridge'), 'utf8')).toContain('Temporal refuses search attributes');
    expect(await readFile(lab.logOf('bridge'), 'utf8')).not.toContain('a workflow task keeps failing');
    const { events } = await withBareTemporal((client) => client.workflow.getHandle(ID).fetchHistory());
    expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  });
});

describe('payloads', () => {
  test('are in no history in plain text', async () => {
    const planted = { taskQueue: 'nobody', workflowId: 'planted', args: [{ canary: PLANTED }] };
    await withBareTemporal((client) => client.workflow.start('plantedWorkflow', planted));
    await expect.poll(async () => [...(await storedHistories()).keys()]).toContain('planted');
    const histories = await storedHistories();
    const holding = (needle: string) => [...histories].filter(([, json]) => holds(json, needle)).map(([id]) => id);
    expect(holding(PLANTED)).toEqual(['planted']);
    expect([...histories.keys()]).toEqual(expect.arrayContaining([ID, expect.stringContaining(`${ID}/provision/`)]));
    expect(holding(CANARY)).toEqual([]);
  });

  test('are read with Temporal’s command line by those who may get the host', async () => {
    const accounts = accountsOf(lab.kube, lab.endpoints.kubeconfig);
    const [reader, stranger] = [
      await accounts.tokenOf(NAMESPACE, 'reader'),
      await accounts.tokenOf(NAMESPACE, 'stranger'),
    ];
    await accounts.bind(NAMESPACE, 'reader', 'guarded-hosts', MAY_GET_HOSTS);
    const show = (token: string) => temporal(token, 'workflow', 'query', '--workflow-id', ID, '--type', 'view');
    expect(await show(reader)).toContain(CANARY);
    expect(await show('')).not.toContain(CANARY);
    await expect(show(stranger)).rejects.toThrow(/may not get baremetalhosts|403/);
  });

  test('are read with the command of docs/temporal.md, at the address of this codec server', async () => {
    const accounts = accountsOf(lab.kube, lab.endpoints.kubeconfig);
    await accounts.tokenOf('default', 'me');
    await accounts.bind('default', 'me', 'guarded-hosts', MAY_GET_HOSTS);
    const block = await blockOf('docs/temporal.md', 'kubectl port-forward');
    const command = block.replace(/^kubectl port-forward .*\n/, '');
    const here = command.replace('https://localhost:8081', codecServer).replace('baremetalhost/metal/node-1', ID);
    const shown = await run(`${here.trim()} --output json`, { TEMPORAL_NAMESPACE: BARE });
    const payloads = [...shown.matchAll(/"data": "([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'));
    expect(payloads.join('\n')).toContain(CANARY);
    record.ran(command);
  });

  test('in plain text, as `temporal workflow signal` sends them, are taken', async () => {
    const failing = { what: 'setPower', since: '2026-11-22T00:00:00.000Z', attempts: 3, answer: 'sent by hand' };
    const input = ['--input', JSON.stringify(failing)];
    await temporal('', 'workflow', 'signal', '--workflow-id', ID, '--name', 'requestFailing', ...input);
    const metadata = () =>
      withBareTemporal(async ({ connection, options }) => {
        const dataConverter = { payloadCodecs: [createCodec(() => readKeyText(`${keyName}:${key}`))] };
        const reading = new Client({ connection, namespace: options.namespace, dataConverter });
        return reading.workflow
          .getHandle(ID)
          .query<{ readonly currentDetails?: string }>('__temporal_workflow_metadata');
      });
    await expect.poll(async () => (await metadata()).currentDetails, { timeout: 60_000 }).toContain('sent by hand');
  });
});
