import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
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
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

type Report = z.infer<typeof report>;

/** The result of a test file; times in ms. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly durationMs: number;
}

export interface RunResult {
  readonly passed: number;
  readonly skipped: number;
  readonly files: readonly FileResult[];
  /**
   * One line for each failure: its place and the first line of the error. Includes files that could not be loaded, runs
   * without tests, and runs that failed without a failed test.
   */
  readonly failures: readonly string[];
}

/** Runs vitest with its output shown, and returns its real result. */
export async function runVitest(name: string, args: readonly string[]): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-test-'));
  try {
    const file = join(folder, 'report.json');
    const command = ['vitest', 'run', ...args, '--reporter=default', '--reporter=json'] as const;
    const ran = await passes({ name, command: [...command, `--outputFile.json=${file}`] });
    const read = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
    if (read.success) return resultOf(name, read.data, ran);
    process.stdout.write(`${name}: no report was written\n`);
    return { passed: 0, skipped: 0, files: [], failures: [`${name}: no report was written`] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function resultOf(name: string, data: Report, ran: boolean): RunResult {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = data;
  const files = testResults.map((result): FileResult => {
    const passed = result.assertionResults.filter(({ status }) => status === 'passed').length;
    const { name: file, startTime, endTime } = result;
    return { file, passed, failed: failuresOf(result).length, durationMs: endTime - startTime };
  });
  const failures = testResults.flatMap(failuresOf);
  // A run that failed without a failed test (an unhandled error, a failed setup) is a failure too.
  if (failures.length === 0 && !ran) failures.push(`${name}: failed outside of its tests`);
  if (numPassedTests + numFailedTests === 0) failures.push(`${name}: no test was run`);
  return { passed: numPassedTests, skipped: numPendingTests, files, failures };
}

function failuresOf({ name, status, message, assertionResults }: Report['testResults'][number]): readonly string[] {
  const file = relative(process.cwd(), name);
  if (status === 'failed' && assertionResults.length === 0) return [`${file}: ${firstLine(message)}`];
  return assertionResults
    .filter((one) => one.status === 'failed')
    .map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0] ?? '')}`);
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);
