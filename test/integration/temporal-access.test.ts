import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client, WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { execa } from 'execa';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { openTemporalAccess, type TemporalAccess } from '../../platform/temporal/access/access.ts';
import { connectClient } from '../../platform/temporal/clients.ts';
import { prepareListing } from '../../platform/temporal/search-attributes.ts';
import type { KeyPair } from '../../platform/tls/certificates.ts';
import { BRIDGE_TASK_QUEUE, TASK_QUEUE } from '../../workflows/messages.ts';
import { plainAccess } from '../builders/plain-access.ts';
import { SERVER_NAME, type TemporalCertificates, temporalCertificates } from '../builders/temporal-certificates.ts';
import { openTemporalGateway, type TemporalGateway } from '../builders/temporal-gateway.ts';
import { createBareTemporalNamespace } from '../builders/temporal-namespace.ts';
import { PATIENCE } from './bridge/harness.ts';
import { recorded, show, type TestView } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';
import { keepWorkers } from './kept-workers.ts';

const { TIMEOUT_TYPE_START_TO_CLOSE } = proto.temporal.api.enums.v1.TimeoutType;

const COUNT = ['workflow', 'count', '--output', 'json'];

let dir: string;
let old: TemporalCertificates;
let next: TemporalCertificates;
let gateway: TemporalGateway;
let env: Record<string, string>;
/** Messages of the log, and what they are about. */
const lines: { readonly msg: string; readonly taskQueue?: string; readonly error?: string }[] = [];
const log = pino(
  { level: 'info' },
  { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]) },
);

const path = (name: string): string => join(dir, name);
async function put(name: string, content: string): Promise<void> {
  await writeFile(path(`.${name}`), content);
  await rename(path(`.${name}`), path(name));
}
async function putKeyPair({ cert, key }: KeyPair): Promise<void> {
  await put('tls.crt', cert);
  await put('tls.key', key);
}

const open = (changed: Record<string, string | undefined> = {}): Promise<TemporalAccess> =>
  openTemporalAccess(readConfig(bridgeConfig, { ...env, ...changed }), log, () => undefined);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-temporal-'));
  [old, next] = await Promise.all([temporalCertificates('the old CA'), temporalCertificates('the new CA')]);
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  const demands = { server: old.server, clientCa: old.authority.cert, apiKeys: ['first'] };
  gateway = await openTemporalGateway(temporalAddress, demands);
  await put('ca.crt', old.authority.cert);
  await put('key', 'first');
  await putKeyPair(old.client);
  env = {
    TEMPORAL_ADDRESS: gateway.address,
    TEMPORAL_NAMESPACE: temporalNamespace,
    TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: path('ca.crt'),
    TEMPORAL_TLS_CLIENT_CERT_PATH: path('tls.crt'),
    TEMPORAL_TLS_CLIENT_KEY_PATH: path('tls.key'),
    TEMPORAL_API_KEY_PATH: path('key'),
  };
});
afterAll(async () => {
  await gateway.close();
  await rm(dir, { recursive: true });
});

/**
 * Connects with other settings and returns why that fails: what the log says last, once it gives this reason. On a busy
 * machine an attempt may end without an answer, and the next one follows.
 */
async function refusalOf(changed: Record<string, string | undefined>, reason: RegExp): Promise<string> {
  const stop = new AbortController();
  let last = '';
  const write = (line: string): void => {
    last = (JSON.parse(line) as { readonly error: string }).error;
    if (reason.test(last)) stop.abort();
  };
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(300_000)]);
  const access = await open(changed);
  await expect(connectClient(access, pino({}, { write }), signal)).rejects.toThrow('aborted');
  return last;
}

describe('a Temporal that demands a client certificate and an API key', () => {
  test.concurrent.each([
    ['another API key', { TEMPORAL_API_KEY_PATH: undefined, TEMPORAL_API_KEY: 'guessed' }, /Request unauthorized/],
    ['no API key', { TEMPORAL_API_KEY_PATH: undefined }, /Request unauthorized/],
    ['public CAs', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: undefined }, /self-signed certificate in certificate chain/],
    ['another server name', { TEMPORAL_TLS_SERVER_NAME: 'elsewhere.example' }, /does not match certificate's altnames/],
    [
      'no client certificate',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: undefined, TEMPORAL_TLS_CLIENT_KEY_PATH: undefined },
      /certificate required/,
    ],
  ])('is not reached with %s, and the log says why', async (_, changed, reason) => {
    expect(await refusalOf(changed, reason)).toMatch(reason);
  });

  test('is reached by Temporal’s own command line with the same variables', async () => {
    const { PATH = '' } = process.env;
    const { TEMPORAL_API_KEY_PATH: _, ...shared } = env;
    const cli = await execa(inject('temporalCli'), COUNT, {
      env: { PATH, HOME: dir, ...shared, TEMPORAL_API_KEY: 'first' },
      extendEnv: false,
    });
    expect(JSON.parse(cli.stdout)).toMatchObject({});
  });

  test('is reached by `temper temporal` with exactly the variables of bridge and workers', async () => {
    const cli = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
    await symlink(inject('temporalCli'), path('temporal'));
    const { stdout } = await execa(process.execPath, [cli, 'temporal', ...COUNT], {
      // No lab runs in this folder: it is the `temporal` of the PATH.
      cwd: dir,
      env: { PATH: dir, HOME: dir, ...env },
      extendEnv: false,
    });
    expect(JSON.parse(stdout)).toMatchObject({});
  });
});

describe('a Temporal that lets nobody register search attributes', () => {
  const forbidden = ['AddSearchAttributes', 'ListSearchAttributes'];
  const demands = () => ({ server: old.server, clientCa: old.authority.cert, apiKeys: ['first'] });

  test('is told apart from one where somebody has created them', async () => {
    const { temporalAddress, temporalNamespace } = sharedControlPlane();
    const namespace = `${temporalNamespace}-bare`;
    await createBareTemporalNamespace(temporalAddress, namespace);
    const client = await connectClient(await open({ TEMPORAL_NAMESPACE: namespace }), log);
    gateway.demand({ ...demands(), forbidden });
    expect(await prepareListing(client)).toMatchObject({ kind: 'off', reason: 'Request unauthorized.' });

    await client.connection.close();
    const direct = await connectClient(plainAccess(temporalAddress, namespace), log);
    expect(await prepareListing(direct)).toEqual({ kind: 'on' });
    await direct.connection.close();
    const again = await connectClient(await open({ TEMPORAL_NAMESPACE: namespace }), log);
    await expect.poll(() => prepareListing(again), PATIENCE).toEqual({ kind: 'on' });
    await again.connection.close();
    gateway.demand(demands());
  });
});

describe('bridge and workers, while certificates and API key are rotated', () => {
  const stopping = new AbortController();
  let access: TemporalAccess;
  let client: Client;
  let run: WorkflowHandle;
  let working: Promise<unknown>;
  let release: (() => void) | undefined;
  /** Views that the activity was given, once for each attempt. */
  const published: number[] = [];

  const publish = async ({ view }: { readonly view: TestView }): Promise<{ readonly kind: string }> => {
    published.push(view.revision);
    if (view.revision === 2) await new Promise<void>((resolve) => (release = resolve));
    return { kind: `written ${view.revision}` };
  };
  const send = (revision: number): Promise<void> =>
    run.signal(show, { kind: 'BareMetalHost', namespace: 'n', name: 'h', uid: 'u', revision } as TestView);
  const answers = async () => (await run.query(recorded)).answers;
  const renewals = () => lines.filter(({ msg }) => msg.includes('the worker uses the renewed')).map((l) => l.taskQueue);
  /**
   * Waits until both workers use what was replaced: a change of one file, or of two of which one is of no use alone.
   */
  const renewedBy = async (replace: () => Promise<void>): Promise<void> => {
    const before = renewals().length;
    await replace();
    await expect
      .poll(() => renewals().slice(before), PATIENCE)
      .toEqual(expect.arrayContaining([TASK_QUEUE, BRIDGE_TASK_QUEUE]));
  };

  beforeAll(async () => {
    access = await open();
    client = await connectClient(access, log);
    working = keepWorkers(access, log, publish, stopping.signal);
    const workflowTaskTimeout = '2 minutes';
    run = await client.workflow.start('hostWorkflow', {
      taskQueue: TASK_QUEUE,
      workflowId: 'rotated',
      workflowTaskTimeout,
    });
  });
  afterAll(async () => {
    stopping.abort();
    await working;
    await client.connection.close();
    await access.close();
  });

  test('finish the activity that runs, with the new ones', async () => {
    await send(1);
    await expect.poll(answers, PATIENCE).toEqual(['written 1']);
    await send(2);
    await expect.poll(() => release, PATIENCE).toBeDefined();
    // For a while the server takes both, as it does when people rotate.
    const both = `${old.authority.cert}${next.authority.cert}`;
    gateway.demand({ server: old.server, clientCa: both, apiKeys: ['first', 'second'] });
    await renewedBy(() => put('key', 'second'));
    await renewedBy(() => put('ca.crt', both));
    await renewedBy(() => putKeyPair(next.client));
    const from = gateway.calls.length;
    release?.();
    await expect.poll(answers, PATIENCE).toEqual(['written 1', 'written 2']);
    expect(published).toEqual([1, 2]);
    const completed = gateway.calls.slice(from).find(({ method }) => method === 'RespondActivityTaskCompleted');
    expect(completed).toMatchObject({ client: 'client of the new CA', apiKey: 'second' });
  });

  test('do without the old ones, after all connections were cut', async () => {
    gateway.demand({ server: next.server, clientCa: next.authority.cert, apiKeys: ['second'] });
    gateway.cut();
    const from = gateway.calls.length;
    await send(3);
    await expect.poll(answers, PATIENCE).toEqual(['written 1', 'written 2', 'written 3']);
    const seen = gateway.calls.slice(from).map(({ client: name, apiKey }) => `${name}, ${apiKey}`);
    expect(new Set(seen)).toEqual(new Set(['client of the new CA, second']));
  });

  test('take another API key alone on the connections they have', async () => {
    gateway.demand({ server: next.server, clientCa: next.authority.cert, apiKeys: ['second', 'third'] });
    await renewedBy(() => put('key', 'third'));
    gateway.demand({ server: next.server, clientCa: next.authority.cert, apiKeys: ['third'] });
    await send(4);
    await expect.poll(answers, PATIENCE).toContain('written 4');
  });

  test('lose no task', async () => {
    expect(published).toEqual([1, 2, 3, 4]);
    const { events } = await run.fetchHistory();
    const lost = (events ?? []).filter(
      ({ workflowTaskFailedEventAttributes: failed, workflowTaskTimedOutEventAttributes: timedOut }) =>
        // A task that nobody had taken in time is given to any worker, and is not lost.
        failed ?? timedOut?.timeoutType === TIMEOUT_TYPE_START_TO_CLOSE,
    );
    expect(lost).toEqual([]);
  });
});
