import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processIdentityOf } from '../../platform/process-identity.ts';
import { lockOwner, tryLock } from './lock.ts';

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
    expect(tryLock(path)).toEqual({ kind: 'taken', by: processIdentityOf(process.pid) });
    if (first.kind === 'held') first.release();
    expect(tryLock(path).kind).toBe('held');
  });

  test('of a process that died is taken over', () => {
    const path = join(folder, 'lock');
    const { pid } = spawnSync('true');
    writeFileSync(path, JSON.stringify({ pid, startTime: 'then' }));

    expect(lockOwner(path)).toBeUndefined();
    expect(tryLock(path).kind).toBe('held');
    expect(lockOwner(path)).toEqual(processIdentityOf(process.pid));
    expect(readdirSync(folder)).toEqual(['lock']);
  });

  test('of a process whose id now belongs to another is taken over', () => {
    const path = join(folder, 'lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, startTime: 'then' }));

    expect(tryLock(path).kind).toBe('held');
  });

  test('is held by another process until that is killed, and is then free at once', async () => {
    const path = join(folder, 'lock');
    const script = `import { tryLock } from '${import.meta.resolve('./lock.ts')}'; console.log(tryLock(process.argv[1]).kind); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script, path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [said] = (await once(child.stdout, 'data')) as [Buffer];

    expect(said.toString()).toBe('held\n');
    expect(tryLock(path)).toMatchObject({ kind: 'taken', by: { pid: child.pid } });
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(tryLock(path).kind).toBe('held');
  });

  test('is not inherited by the processes that its owner starts', async () => {
    const path = join(folder, 'lock');
    const lock = tryLock(path);
    const child = spawn('sleep', ['60']);
    if (lock.kind === 'held') lock.release();

    expect(tryLock(path).kind).toBe('held');
    child.kill('SIGKILL');
    await once(child, 'close');
  });
});
