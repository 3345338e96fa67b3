import { failedOf, STATIC_CHECKS } from './checks.ts';
import { slowest } from './slowest.ts';
import { type FileResult, runVitest } from './vitest-run.ts';

/** `npm test`: the static checks and all tests, on real servers. The last line counts both. */
const failures: string[] = [...(await failedOf(STATIC_CHECKS))];
let passed = STATIC_CHECKS.length - failures.length;
let skipped = 0;
const files: FileResult[] = [];

async function run(projects: readonly string[], ...options: readonly string[]): Promise<void> {
  const chosen = projects.flatMap((project) => ['--project', project]);
  const result = await runVitest(projects.join(' and '), [...chosen, ...options]);
  passed += result.passed;
  failures.push(...result.failures);
  files.push(...result.files);
  skipped += result.skipped;
}

await run(['unit', 'replay'], '--coverage');
// One after the other: each keeps both cores busy, and two at a time take longer than one after the other.
for (const project of ['integration', 'e2e-fixture', 'e2e-ironic', 'e2e-cluster-api', 'e2e-alone'])
  await run([project]);

if (skipped > 0) process.stdout.write(`\n${skipped} skipped, for the reasons above\n`);
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`);
process.stdout.write(`\n${slowest(files, 10)}`);
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
