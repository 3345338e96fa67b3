import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { beforeAll, describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { openEncryption } from '../../platform/temporal/encryption/encryption.ts';
import { cachedBundle, configuredBundle } from '../../workers/bundle.ts';
import { encryptedHistory } from './encrypted-history.ts';
import type { RecordedHistory } from './wordless.ts';

/** One story of each workflow; `replay.test.ts` has all of them. */
const FOLDER = fileURLToPath(new URL('histories', import.meta.url));
const all = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted();
const files = [...new Set(all.map((file) => file.split('/')[0]))].map(
  (type) =>
    all.find((file) => file.startsWith(`${type}/`) && file.includes('-life-')) ??
    all.find((file) => file.startsWith(`${type}/`)) ??
    '',
);

interface Recorded {
  readonly workflowId: string;
  readonly history: RecordedHistory;
}
const read = async (file: string): Promise<Recorded> =>
  JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Recorded;

const encryptionWith = async (keys: string): Promise<DataConverter> => {
  const config = readConfig(bridgeConfig, { TEMPORAL_ENCRYPTION_KEYS: keys });
  const opened = await openEncryption(config, pino({ level: 'silent' }));
  if (opened === undefined) throw new Error('nothing is encrypted');
  return opened.dataConverter;
};
const newKey = (): string => randomBytes(32).toString('base64');
const KEY = newKey();
/** The encoding of a payload, as a history in JSON has it. */
const ENCRYPTED = Buffer.from('binary/encrypted').toString('base64');

let code: string;
let dataConverter: DataConverter;
beforeAll(async () => {
  ({ code } = configuredBundle(await cachedBundle(), { encodesFailures: true, hasVersions: true }));
  dataConverter = await encryptionWith(`test:${KEY}`);
});
const encrypted = async ({ workflowId, history }: Recorded): Promise<Recorded> => {
  const [codec] = dataConverter.payloadCodecs ?? [];
  if (codec === undefined) throw new Error('nothing is encrypted');
  return { workflowId, history: await encryptedHistory(history, codec) };
};
const replay = ({ workflowId, history }: Recorded, converter = dataConverter): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle: { code }, dataConverter: converter }, history, workflowId);

describe('with encryption on, the history of', () => {
  test.each(files)('%s is what the code would do when it was encrypted', async (file) => {
    const hidden = await encrypted(await read(file));
    expect(JSON.stringify(hidden.history).includes(ENCRYPTED)).toBe(true);
    await replay(hidden);
  });

  test.each(files.slice(0, 3))('%s is what the code would do when it is older than the encryption', async (file) => {
    await replay(await read(file));
  });

  test('a run whose key was rotated can still be replayed, and without its key it cannot', async () => {
    const hidden = await encrypted(await read(files[0] ?? ''));
    await replay(hidden, await encryptionWith(`new:${newKey()},test:${KEY}`));
    await expect(replay(hidden, await encryptionWith(`new:${newKey()}`))).rejects.toThrow('workflow task failure');
  });
});
