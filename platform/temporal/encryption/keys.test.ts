import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readKeyFolder, readKeyText } from './keys.ts';

const KEY = randomBytes(32).toString('base64');
const OTHER = randomBytes(32).toString('base64');

describe('keys as text', () => {
  test('have names, and the first encrypts', () => {
    const { current, byId } = readKeyText(`2026-11:${KEY}, 2025:${OTHER}`);
    expect(current?.id).toMatch(/^2026-11:/);
    expect([...byId.keys()].map((id) => id.split(':')[0])).toEqual(['2026-11', '2025']);
  });
  test('encrypt nothing after `none`', () => {
    expect(readKeyText(`none,old:${OTHER}`)).toMatchObject({ current: undefined, byId: { size: 1 } });
  });
  test.each([
    ['nothing', '', 'a key needs a name'],
    ['a key without a name', KEY, 'a key needs a name'],
    ['a short key', 'a:c2hvcnQ=', "the key 'a' is not 32 bytes in base64"],
    ['a key with something behind it', `a:${KEY}x`, "the key 'a' is not 32 bytes in base64"],
  ])('that are %s are refused without quoting them', (_, text, problem) => {
    const read = () => readKeyText(text);
    expect(read).toThrow(problem);
    expect(read).not.toThrow(KEY);
  });
});

describe('keys in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'temper-keys-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const put = (name: string, content: string): Promise<void> => writeFile(join(folder, name), content);

  test('are files, as a Secret mounts them, and one says which encrypts', async () => {
    await Promise.all([put('new', `${KEY}\n`), put('old', OTHER), put('current', 'new\n'), put('..data', 'a link')]);
    const { current, byId } = await readKeyFolder(folder);
    expect(current?.id).toMatch(/^new:/);
    expect(byId.size).toBe(2);
  });
  test('need the one that encrypts', async () => {
    await put('new', KEY);
    await expect(readKeyFolder(folder)).rejects.toThrow("has no file 'current'");
    await put('current', 'newer');
    await expect(readKeyFolder(folder)).rejects.toThrow("there is no key 'newer' to encrypt with");
  });
  test('encrypt nothing when the file says `none`', async () => {
    await Promise.all([put('new', KEY), put('current', 'none')]);
    expect((await readKeyFolder(folder)).current).toBeUndefined();
  });
});
