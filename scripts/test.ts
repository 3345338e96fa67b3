import { passes, STATIC_CHECKS } from './checks.ts';
import { slowest } from './slowest.ts';
import { type FileResult, runVitest } from './vitest-run.ts';

/** `npm test`: the static checks and all tests, on real servers. The last line counts both. */
let passed = 0;
let skipped = 0;
const failures: string[] = [];
const files: FileResult[] = [];

for (const check of STATIC_CHECKS) {
  if (await passes(check)) passed += 1;
  else failures.push(check.name);
}

const PROJECTS = ['unit', 'replay', 'integration', 'e2e-fixture', 'e2e-ironic', 'e2e-cluster-api', 'e2e-alone'];
for (const project of PROJECTS) {
  const result = await runVitest(project, ['--project', project, ...(project === 'unit' ? ['--coverage'] : [])]);
  passed += result.passed;
  failures.push(...result.failures);
  files.push(...result.files);
  skipped += result.skipped;
}

if (skipped > 0) process.stdout.write(`\n${skipped} skipped, for the reasons above\n`);
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`);
process.stdout.write(`\n${slowest(files, 10)}`);
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
