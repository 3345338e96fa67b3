import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../platform/config/config.ts';
import { openEncryption } from '../../platform/temporal/encryption/encryption.ts';
import { cachedBundle, configuredBundle } from '../../workers/bundle.ts';
import { encryptedHistory } from './encrypted-history.ts';
import { openReplayer, type Recorded, type Replayer } from './replayer.ts';

/** One story of each workflow; `replay.test.ts` has all of them. */
const FOLDER = fileURLToPath(new URL('histories', import.meta.url));
const all = (await readdir(FOLDER, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted();
const files = [...new Set(all.map((file) => file.split('/')[0]))].map(
  (type) =>
    all.find((file) => file.startsWith(`${type}/`) && file.includes('-life-')) ??
    all.find((file) => file.startsWith(`${type}/`)) ??
    '',
);

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
let replayer: Replayer;
beforeAll(async () => {
  ({ code } = configuredBundle(await cachedBundle(), { encodesFailures: true, hasVersions: true }));
  dataConverter = await encryptionWith(`test:${KEY}`);
  replayer = openReplayer({ workflowBundle: { code }, dataConverter });
});
afterAll(() => replayer?.close());
const encrypted = async ({ workflowId, history }: Recorded): Promise<Recorded> => {
  const [codec] = dataConverter.payloadCodecs ?? [];
  if (codec === undefined) throw new Error('nothing is encrypted');
  return { workflowId, history: await encryptedHistory(history, codec) };
};
/** With a worker that has other keys. */
async function replayWith(keys: string, recorded: Recorded): Promise<void> {
  const other = openReplayer({ workflowBundle: { code }, dataConverter: await encryptionWith(keys) });
  try {
    await other.replay(recorded);
  } finally {
    await other.close();
  }
}

describe('with encryption on, the history of', () => {
  test.each(files)('%s is what the code would do when it was encrypted', async (file) => {
    const hidden = await encrypted(await read(file));
    expect(JSON.stringify(hidden.history).includes(ENCRYPTED)).toBe(true);
    await replayer.replay(hidden);
  });

  test.each(files.slice(0, 3))('%s is what the code would do when it is older than the encryption', async (file) => {
    await expect(replayer.replay(await read(file))).resolves.toBeUndefined();
  });

  test('a run whose key was rotated can still be replayed, and without its key it cannot', async () => {
    const hidden = await encrypted(await read(files[0] ?? ''));
    await replayWith(`new:${newKey()},test:${KEY}`, hidden);
    await expect(replayWith(`new:${newKey()}`, hidden)).rejects.toThrow('workflow task failure');
  });
});
