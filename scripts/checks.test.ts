import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failedOf } from './checks.ts';

let outputs: string;
beforeEach(async () => {
  outputs = await mkdtemp(join(tmpdir(), 'temper-checks-'));
});
afterEach(() => rm(outputs, { recursive: true }));

/** A check that prints a warning and the summary of vitest, as it is shown. */
async function shown(exitCode: number) {
  const output = '{"level":40,"msg":"a lost connection"}\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n';
  const said: string[] = [];
  const command = [
    'node',
    '-e',
    `process.stdout.write(${JSON.stringify(output)}); process.exitCode = ${exitCode}`,
  ] as const;
  const failed = await failedOf([{ name: 'unit tests', command }], { outputs, say: (text) => void said.push(text) });
  return { failed, said: said.join('').split('\n').slice(2).join('\n') };
}

describe('of checks', () => {
  test('that pass the summary is shown, and the warnings are kept in a file', async () => {
    const { failed, said } = await shown(0);
    expect(failed).toEqual([]);
    expect(said).toMatch(/^ Test Files {2}1 passed \(1\)\n {6}Tests {2}2 passed \(2\)\npassed; its output is in /);
    expect(said).not.toContain('a lost connection');
    expect(await readFile(join(outputs, 'unit-tests.log'), 'utf8')).toContain('a lost connection');
  });

  test('that fail everything is shown', async () => {
    const { failed, said } = await shown(1);
    expect(failed).toEqual(['unit tests']);
    expect(said).toContain('a lost connection');
    expect(said).toContain('=== unit tests FAILED');
  });
});
