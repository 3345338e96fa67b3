import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPython } from './python.ts';

let folder: string;

/** A fake Python that reports this version. */
const python = async (name: string, version: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\necho '[${version.replace('.', ', ')}, "x86_64"]'\n`);
  await chmod(path, 0o755);
  return path;
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-python-'));
});

afterEach(() => rm(folder, { recursive: true }));

describe('the Python of the lab', () => {
  test('is the one the environment names', async () => {
    const path = await python('mine', '3.12');
    expect(await findPython({ TEMPER_PYTHON: path })).toEqual({ path, fingerprint: '3.12-x86_64' });
  });

  test('is the first on PATH that is new enough', async () => {
    await python('python3', '3.9');
    await python('python3.12', '3.12');
    expect(await findPython({ PATH: `${folder}:/bin` })).toMatchObject({ fingerprint: '3.12-x86_64' });
  });

  test('which is too old is an error that says what was found and how to get one', async () => {
    const path = await python('old', '3.10');
    await expect(findPython({ TEMPER_PYTHON: path })).rejects.toThrow(
      /3\.10[\s\S]*sudo apt install[\s\S]*brew install/,
    );
  });

  test('that is missing is such an error too', async () => {
    await expect(findPython({ PATH: folder })).rejects.toThrow(/Python >= 3\.11.*nothing named python3/);
  });
});
