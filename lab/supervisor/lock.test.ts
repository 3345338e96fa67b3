import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockOwner, tryLock } from './lock.ts';
import { identityOf } from './process-identity.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a lock file', () => {
  test('is held by one at a time', () => {
    const path = join(folder, 'lock');
    const first = tryLock(path);

    expect(first.kind).toBe('held');
    expect(tryLock(path)).toEqual({ kind: 'taken', by: identityOf(process.pid) });
    if (first.kind === 'held') first.release();
    expect(tryLock(path).kind).toBe('held');
  });

  test('of a process that died is taken over', () => {
    const path = join(folder, 'lock');
    const { pid } = spawnSync('true');
    writeFileSync(path, JSON.stringify({ pid, startTime: 'then' }));

    expect(lockOwner(path)).toBeUndefined();
    expect(tryLock(path).kind).toBe('held');
    expect(lockOwner(path)).toEqual(identityOf(process.pid));
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('of a process whose id now belongs to another is taken over', () => {
    const path = join(folder, 'lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, startTime: 'then' }));

    expect(tryLock(path).kind).toBe('held');
  });
});
