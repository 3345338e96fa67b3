import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { passes } from './checks.ts';

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
});

/** How a test file went; ms. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly durationMs: number;
}

export interface RunResult {
  readonly passed: number;
  /** Files that could not be loaded, a run that executed nothing, and one that broke without a failed test count too. */
  readonly failed: number;
  readonly skipped: number;
  readonly files: readonly FileResult[];
}

/** Runs vitest with its output shown, and tells the truth about how it went. */
export async function runVitest(name: string, args: readonly string[]): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-test-'));
  try {
    const file = join(folder, 'report.json');
    const command = ['vitest', 'run', ...args, '--reporter=default', '--reporter=json'] as const;
    const ran = await passes({ name, command: [...command, `--outputFile.json=${file}`] });
    const read = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
    if (read.success) return resultOf(read.data, ran);
    process.stdout.write(`${name}: no report was written\n`);
    return { passed: 0, failed: 1, skipped: 0, files: [] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function resultOf(data: z.infer<typeof report>, ran: boolean): RunResult {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = data;
  const files = testResults.map(({ name, status, startTime, endTime, assertionResults }): FileResult => {
    const count = (wanted: string): number => assertionResults.filter((one) => one.status === wanted).length;
    const isBroken = status === 'failed' && assertionResults.length === 0;
    const failed = isBroken ? 1 : count('failed');
    return { file: name, passed: count('passed'), failed, durationMs: endTime - startTime };
  });
  const failures = files.reduce((sum, { failed }) => sum + failed, 0);
  // A run that failed without a failed test (an unhandled error, a setup that broke) is a failure too.
  const failed = failures > 0 || ran ? failures : 1;
  const nothing = numPassedTests + numFailedTests === 0 ? 1 : 0;
  return { passed: numPassedTests, failed: failed + nothing, skipped: numPendingTests, files };
}
