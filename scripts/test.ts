import { passes, STATIC_CHECKS } from './checks.ts';
import { runVitest } from './vitest-run.ts';

/** `npm test`: the static checks and every test there is, on real servers. The last line counts both. */
let passed = 0;
let failed = 0;
let skipped = 0;

for (const check of STATIC_CHECKS) {
  if (await passes(check)) passed += 1;
  else failed += 1;
}

for (const project of ['unit', 'replay', 'integration', 'e2e']) {
  const result = await runVitest(project, ['--project', project, ...(project === 'unit' ? ['--coverage'] : [])]);
  passed += result.passed;
  failed += result.failed;
  skipped += result.skipped;
}

if (skipped > 0) process.stdout.write(`\n${skipped} skipped, for the reasons above\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
