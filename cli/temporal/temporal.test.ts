import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withApiKey } from './temporal.ts';

/** Temporal's command line against a server that demands the key: test/integration/temporal-access.test.ts. */
let dir: string;
let file: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-cli-'));
  file = join(dir, 'api-key');
  await writeFile(file, 'first\n');
});
afterAll(() => rm(dir, { recursive: true }));

describe('the environment of Temporal’s command line', () => {
  test('has the API key that is in the file', async () => {
    expect(await withApiKey({ HOME: dir, TEMPORAL_API_KEY_PATH: file })).toMatchObject({
      HOME: dir,
      TEMPORAL_API_KEY: 'first',
    });
  });

  test('stays as it is when it has a key, or names no file', async () => {
    const own = { TEMPORAL_API_KEY: 'own', TEMPORAL_API_KEY_PATH: file };
    expect(await withApiKey(own)).toEqual(own);
    expect(await withApiKey({ TEMPORAL_API_KEY_PATH: '' })).toEqual({ TEMPORAL_API_KEY_PATH: '' });
    expect(await withApiKey({})).toEqual({});
  });

  test.each([
    ['is missing', 'missing', '', /TEMPORAL_API_KEY_PATH: ENOENT/],
    ['holds no key', 'empty', '\n', /TEMPORAL_API_KEY_PATH: is not an API key/],
  ])('is refused when the file %s', async (_, name, content, words) => {
    if (content !== '') await writeFile(join(dir, name), content);
    await expect(withApiKey({ TEMPORAL_API_KEY_PATH: join(dir, name) })).rejects.toThrow(words);
  });
});
