import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { passes, STATIC_CHECKS } from './checks.ts';

/**
 * `npm test`: the static checks and every test there is, on real servers. The last line counts both and tells the
 * truth: a test file that could not be loaded is a failure, and so is a run that executed nothing.
 */
const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  success: z.boolean(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

let passed = 0;
let failed = 0;
let skipped = 0;

for (const check of STATIC_CHECKS) {
  if (await passes(check)) passed += 1;
  else failed += 1;
}

const folder = await mkdtemp(join(tmpdir(), 'temper-test-'));
try {
  for (const project of ['unit', 'replay', 'integration', 'e2e']) {
    const file = join(folder, `${project}.json`);
    const ran = await passes({
      name: project,
      command: [
        'vitest',
        'run',
        '--project',
        project,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
        ...(project === 'unit' ? ['--coverage'] : []),
      ],
    });
    const results = report.safeParse(JSON.parse(await readFile(file, 'utf8').catch(() => 'null')));
    if (!results.success) {
      process.stdout.write(`${project}: no report was written\n`);
      failed += 1;
      continue;
    }
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = results.data;
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    passed += numPassedTests;
    skipped += numPendingTests;
    const failures = numFailedTests + broken.length;
    // A run that failed without a failed test (an unhandled error, a setup that broke) is a failure too.
    failed += failures > 0 || ran ? failures : 1;
    if (numPassedTests + numFailedTests === 0) failed += 1;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

if (skipped > 0) process.stdout.write(`\n${skipped} skipped, for the reasons above\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
