import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { openTemporalAccess, type TemporalAccess } from '../../platform/temporal/access/access.ts';
import { connectClient } from '../../platform/temporal/clients.ts';
import { TASK_QUEUE } from '../../workflows/messages.ts';
import { plainAccess } from '../builders/plain-access.ts';
import { PATIENCE } from './bridge/harness.ts';
import { recorded, show, type TestView } from './bridge/recorder-workflow.ts';
import { sharedControlPlane } from './control-plane.ts';
import { keepWorkers } from './kept-workers.ts';

const CANARY = 'canary-in-a-view-0c7d';
const FAILED = 'canary-in-a-failure-0c7d';
const log = pino({ level: 'silent' });

let folder: string;
let access: TemporalAccess;
let client: Client;
/** Of somebody without keys. */
let plain: Client;
let run: WorkflowHandle;
let working: Promise<unknown>;
const stopping = new AbortController();

async function put(name: string, content: string): Promise<void> {
  await writeFile(join(folder, `.${name}`), content);
  await rename(join(folder, `.${name}`), join(folder, name));
}
const newKey = (): string => randomBytes(32).toString('base64');

const publish = async ({ view }: { readonly view: TestView }): Promise<{ readonly kind: string }> => {
  if (view.name === 'failing') throw ApplicationFailure.nonRetryable(FAILED, 'Refused', { canary: FAILED });
  return { kind: `${view.waitingFor} is written` };
};
const send = (handle: WorkflowHandle, revision: number, name = 'h'): Promise<void> =>
  handle.signal(show, {
    kind: 'BareMetalHost',
    namespace: 'n',
    name,
    uid: 'u',
    revision,
    waitingFor: CANARY,
  } as TestView);
const answers = async () => (await run.query(recorded)).answers;
const stored = async (workflowId: string): Promise<string> =>
  historyToJSON(await plain.workflow.getHandle(workflowId).fetchHistory());
/** Names of the keys that encrypted something in a history. */
async function keysIn(workflowId: string): Promise<readonly string[]> {
  const ids = [...(await stored(workflowId)).matchAll(/"encryption-key-id":\s*"([^"]+)"/g)];
  return [...new Set(ids.map(([, id = '']) => Buffer.from(id, 'base64').toString().split(':')[0] ?? ''))];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-keys-'));
  await put('first', newKey());
  await put('current', 'first');
  const { temporalAddress, temporalNamespace } = sharedControlPlane();
  const env = { TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: temporalNamespace };
  const config = readConfig(bridgeConfig, { ...env, TEMPORAL_ENCRYPTION_KEYS_DIR: folder });
  access = await openTemporalAccess(config, log, () => undefined);
  client = await connectClient(access, log);
  plain = await connectClient(plainAccess(temporalAddress, temporalNamespace), log);
  working = keepWorkers(access, log, publish, stopping.signal);
  run = await client.workflow.start('hostWorkflow', { taskQueue: TASK_QUEUE, workflowId: 'encrypted' });
});
afterAll(async () => {
  stopping.abort();
  await working;
  await Promise.all([client.connection.close(), plain.connection.close(), access.close()]);
  await rm(folder, { recursive: true });
});

describe('with encryption on', () => {
  test('signals, arguments, results and queries are stored encrypted, and understood', async () => {
    await send(run, 1);
    await expect.poll(answers, PATIENCE).toEqual([`${CANARY} is written`]);
    expect(await stored('encrypted')).not.toContain(Buffer.from(CANARY).toString('base64').slice(4, -4));
    expect(await keysIn('encrypted')).toEqual(['first']);
    await expect(plain.workflow.getHandle('encrypted').query(recorded)).rejects.toThrow(/binary\/encrypted/);
  });

  test('a signal of somebody without keys is taken', async () => {
    await send(plain.workflow.getHandle('encrypted'), 2);
    await expect.poll(async () => (await answers()).length, PATIENCE).toBe(2);
  });

  test('keys are rotated without a restart, and the old one still reads', async () => {
    await put('second', newKey());
    await put('current', 'second');
    let revision = 2;
    const encryptedWith = async () => {
      revision += 1;
      await send(run, revision);
      return keysIn('encrypted');
    };
    await expect.poll(encryptedWith, PATIENCE).toEqual(['first', 'second']);
    await expect.poll(async () => (await answers()).length, PATIENCE).toBe(revision);
  });

  test('messages and details of failures are stored encrypted, and read by those who have the keys', async () => {
    const failing = await client.workflow.start('hostWorkflow', { taskQueue: TASK_QUEUE, workflowId: 'failing' });
    await send(failing, 1, 'failing');
    await expect(failing.result()).rejects.toMatchObject({
      cause: { cause: { message: FAILED, details: [{ canary: FAILED }] } },
    });
    const history = await stored('failing');
    expect(history).toContain('Encoded failure');
    expect(history).not.toContain(FAILED);
    await expect(plain.workflow.getHandle('failing').result()).rejects.not.toMatchObject({
      cause: { cause: { message: FAILED } },
    });
  });
});
