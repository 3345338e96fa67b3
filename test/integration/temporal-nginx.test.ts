import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { openTemporalAccess, type TemporalAccess } from '../../platform/temporal/access/access.ts';
import { connectClientOnce } from '../../platform/temporal/client.ts';
import { connectClient, connectWorker } from '../../platform/temporal/clients.ts';
import { TASK_QUEUE } from '../../workflows/messages.ts';
import { SERVER_NAME, temporalCertificates } from '../builders/temporal-certificates.ts';
import { nginxPath, startTemporalNginx, type TemporalNginx } from '../builders/temporal-nginx.ts';
import { PATIENCE } from './bridge/harness.ts';
import { recorded, show, type TestView } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';
import { keepWorkers } from './kept-workers.ts';

/**
 * A proxy that is not ours in front of the development server. Rotation, with a gateway of ours:
 * temporal-access.test.ts.
 */
const COUNT = ['workflow', 'count', '--output', 'json'];
const CLI = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const log = pino({ level: 'silent' });
const program = await nginxPath();

let dir: string;
let nginx: TemporalNginx;
let env: Record<string, string>;
beforeAll(async () => {
  if (program === undefined) return;
  dir = await mkdtemp(join(tmpdir(), 'temper-nginx-'));
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  const certificates = await temporalCertificates('the CA of nginx');
  nginx = await startTemporalNginx(program, dir, temporalAddress, { certificates, apiKey: 'first' });
  const files = { ca: certificates.authority.cert, crt: certificates.client.cert, key: certificates.client.key };
  for (const [name, content] of Object.entries({ ...files, apiKey: 'first\n', other: 'guessed' }))
    await writeFile(join(dir, name), content);
  await symlink(inject('temporalCli'), join(dir, 'temporal'));
  env = {
    TEMPORAL_ADDRESS: nginx.address,
    TEMPORAL_NAMESPACE: temporalNamespace,
    TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(dir, 'ca'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: join(dir, 'crt'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: join(dir, 'key'),
    TEMPORAL_API_KEY_PATH: join(dir, 'apiKey'),
  };
});
afterAll(async () => {
  await nginx?.stop();
  if (dir !== undefined) await rm(dir, { recursive: true });
});

const open = (changed: Readonly<Record<string, string | undefined>> = {}): Promise<TemporalAccess> =>
  openTemporalAccess(readConfig(bridgeConfig, { ...env, ...changed }), log, () => undefined);
const withoutNginx = (skip: (reason: string) => never): void => {
  if (program === undefined) skip('nginx is not installed (Debian: apt-get install nginx-light)');
};
/** Connects until the log gives this reason; returns what it said last. */
async function refusalOf(
  connect: typeof connectClient | typeof connectWorker,
  changed: Readonly<Record<string, string | undefined>>,
  reason: RegExp,
): Promise<string> {
  const stop = new AbortController();
  let last = '';
  const write = (line: string): void => {
    last = (JSON.parse(line) as { readonly error: string }).error;
    // On a busy machine an attempt may end without an answer.
    if (reason.test(last)) stop.abort();
  };
  const access = await open(changed);
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(PATIENCE.timeout)]);
  await expect(connect(access, pino({}, { write }), signal)).rejects.toThrow('aborted');
  await access.close();
  return last;
}

/** Temper's own `temporal`, in a folder without a lab: it runs the one of the PATH. */
const temporal = (changed: Readonly<Record<string, string>> = {}) =>
  execa(process.execPath, [CLI, 'temporal', ...COUNT], {
    cwd: dir,
    env: { PATH: dir, HOME: dir, ...env, ...changed },
    extendEnv: false,
    reject: false,
  });

describe('nginx with TLS that demands a client certificate and an API key, in front of Temporal', () => {
  test('lets client and workers work, which show both with each call', async ({ skip }) => {
    withoutNginx(skip);
    const access = await open();
    const client = await connectClientOnce(access);
    const stopping = new AbortController();
    const publish = ({ view }: { readonly view: TestView }) => Promise.resolve({ kind: `written ${view.revision}` });
    const working = keepWorkers(access, log, publish, stopping.signal);
    const order = { taskQueue: TASK_QUEUE, workflowId: 'behind nginx' };
    const run = await client.workflow.start('hostWorkflow', order);
    await run.signal(show, { kind: 'BareMetalHost', namespace: 'n', name: 'h', uid: 'u', revision: 1 } as TestView);
    await expect.poll(async () => (await run.query(recorded)).answers, PATIENCE).toEqual(['written 1']);
    stopping.abort();
    await working;
    await client.connection.close();
    await access.close();

    const calls = await nginx.calls();
    const made = ['StartWorkflowExecution', 'SignalWorkflowExecution', 'QueryWorkflow'];
    const polled = ['PollWorkflowTaskQueue', 'RespondWorkflowTaskCompleted', 'PollActivityTaskQueue'];
    const answered = ['RespondActivityTaskCompleted'];
    expect(calls.map(({ method }) => method)).toEqual(expect.arrayContaining([...made, ...polled, ...answered]));
    expect(new Set(calls.map(({ client: name }) => name))).toEqual(new Set(['CN=client of the CA of nginx']));
  });

  test('lets `temper temporal` in with the same variables, and not with another key', async ({ skip }) => {
    withoutNginx(skip);
    expect(await temporal()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('count') as unknown });
    const refused = await temporal({ TEMPORAL_API_KEY_PATH: join(dir, 'other') });
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('401') as unknown]);
  });

  test.for<[string, Readonly<Record<string, string | undefined>>, RegExp]>([
    ['another API key', { TEMPORAL_API_KEY_PATH: undefined, TEMPORAL_API_KEY: 'guessed' }, /401/],
    ['no API key', { TEMPORAL_API_KEY_PATH: undefined }, /401/],
    [
      'no client certificate',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: undefined, TEMPORAL_TLS_CLIENT_KEY_PATH: undefined },
      /400/,
    ],
  ])('refuses client and workers with %s', async ([, changed, status], { skip }) => {
    withoutNginx(skip);
    for (const connect of [connectClient, connectWorker])
      expect(await refusalOf(connect, changed, status)).toMatch(status);
  });
});
