import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { GO_ENVIRONMENT } from '../lab/supervisor/go-environment.ts';
import { COMPILED } from '../platform/node-flags.ts';
import { passes } from './checks.ts';
import { FILE_TIMES } from './file-times.ts';

const TIMES_REPORTER = fileURLToPath(new URL('file-times.ts', import.meta.url));
/** The environment of the processes that the tests start, most of which start often and end soon. */
const THRIFT = { ...COMPILED, ...GO_ENVIRONMENT } as const;

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
});

type Report = z.infer<typeof report>;

/** The result of a test file; times in ms, with its set-up. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
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
    const times = join(folder, 'times.json');
    const reporters = ['default', 'json', TIMES_REPORTER].map((reporter) => `--reporter=${reporter}`);
    const command = ['vitest', 'run', ...args, ...reporters, `--outputFile.json=${file}`] as const;
    // Coverage of modules from the cache of compiled modules is less precise.
    const env = args.includes('--coverage') ? GO_ENVIRONMENT : THRIFT;
    const ran = await passes({ name, command, env: { ...env, [FILE_TIMES]: times } });
    const read = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
    if (read.success) return resultOf(name, read.data, ran, timesIn(await readFile(times, 'utf8').catch(() => '{}')));
    process.stdout.write(`${name}: no report was written\n`);
    return { passed: 0, skipped: 0, files: [], failures: [`${name}: no report was written`] };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Milliseconds by path. */
type Times = Readonly<Record<string, number>>;

const timesIn = (text: string): Times => z.record(z.string(), z.number()).parse(JSON.parse(text));

function resultOf(name: string, data: Report, ran: boolean, times: Times): RunResult {
  const { numPassedTests, numFailedTests, numPendingTests, testResults } = data;
  const files = testResults.map((result): FileResult => {
    const { name: file, assertionResults } = result;
    const passed = assertionResults.filter(({ status }) => status === 'passed').length;
    const skipped = assertionResults.filter(({ status }) => status === 'skipped' || status === 'pending').length;
    return { file, passed, failed: failuresOf(result).length, skipped, durationMs: times[file] ?? 0 };
  });
  const failures = testResults.flatMap(failuresOf);
  // A run that failed without a failed test (an unhandled error, a failed setup) is a failure too.
  if (failures.length === 0 && !ran) failures.push(`${name}: failed outside of its tests`);
  if (numPassedTests + numFailedTests === 0) failures.push(`${name}: no test was run`);
  return { passed: numPassedTests, skipped: numPendingTests, files, failures };
}

function failuresOf({ name, status, message, assertionResults }: Report['testResults'][number]): readonly string[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((one) => one.status === 'failed');
  // The file could not be loaded, or what it does before its tests has failed.
  if (status === 'failed' && failed.length === 0) return [`${file}: ${firstLine(message)}`];
  return failed.map(({ fullName, failureMessages }) => `${file} > ${fullName}: ${firstLine(failureMessages[0] ?? '')}`);
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);
