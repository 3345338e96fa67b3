import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { prepareDatabase } from './temporal-database.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'temper-database-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (file: string, text: string): void => writeFileSync(join(dir, file), text);
const read = (file: string): string => readFileSync(join(dir, file), 'utf8');

/** A Temporal of which only the version is asked. */
function cliWith(server: string): string {
  const path = join(dir, 'temporal');
  writeFileSync(path, `#!/bin/sh\necho "temporal version 1.8.2 (Server ${server}, UI 2.54.1)"\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("Temporal's database in the folder of a lab", () => {
  test('is used again by the same minor version', async () => {
    expect(await prepareDatabase(dir, cliWith('1.32.0'))).toBeUndefined();
    write('temporal.db', 'runs');

    expect(await prepareDatabase(dir, cliWith('1.32.7'))).toBeUndefined();
    expect(read('temporal.db')).toBe('runs');
  });

  test('of a lab that did not note the version is put aside, with the files beside it', async () => {
    for (const file of ['temporal.db', 'temporal.db-wal', 'temporal.db-shm']) write(file, file);

    const putAside = await prepareDatabase(dir, cliWith('1.32.0'));

    expect(putAside).toEqual({ from: 'before 1.32', to: '1.32.0', file: join(dir, 'old-temporal.db') });
    expect(readdirSync(dir).toSorted()).toEqual([
      'old-temporal.db',
      'old-temporal.db-shm',
      'old-temporal.db-wal',
      'temporal',
      'temporal-server',
    ]);
  });

  test('of another minor version is put aside, in the place of one before', async () => {
    await prepareDatabase(dir, cliWith('1.32.0'));
    write('temporal.db', 'of 1.32');
    write('old-temporal.db', 'of 1.29');
    write('old-temporal.db-wal', 'of 1.29');

    expect(await prepareDatabase(dir, cliWith('1.33.1'))).toMatchObject({ from: '1.32.0', to: '1.33.1' });
    expect(read('old-temporal.db')).toBe('of 1.32');
    expect(readdirSync(dir)).not.toContain('old-temporal.db-wal');
    expect(await prepareDatabase(dir, cliWith('1.33.1'))).toBeUndefined();
  });
});
