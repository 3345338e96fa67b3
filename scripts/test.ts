import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { AUDIT_FOLDER } from '../lab/control-plane/audit.ts';
import { LEFT_TO_THE_NIGHT } from './at-night.ts';
import { getServers } from './get-servers.ts';
import { differencesIn } from './rights/differences.ts';
import { slowest } from './slowest.ts';
import { type FileResult, runVitest } from './vitest-run.ts';

/** `npm test`: all tests but those for the night, on real servers. `npm run check` has the checks without a server. */
const failures: string[] = [];
let passed = 0;
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

// The API servers of all labs log what bridge and workers request.
const auditLogs = await mkdtemp(join(tmpdir(), 'temper-rights-'));
process.env[AUDIT_FOLDER] = auditLogs;
const servers = getServers((message) => process.stdout.write(`${message}\n`));
// Two groups run at the same time: while one waits for its servers, or for its last file, the other works. Three end no
// earlier, because both cores are always busy, and each test takes so long that a server may miss its deadlines.
const queue = new PQueue({ concurrency: 2 });
// The files of `integration` and with Ironic wait most of their time, so that those without a server and those with the
// hosts of the fixture, which hardly wait, run beside them. The group that ends last has files enough for both cores.
const WITHOUT_SERVERS = ['unit', 'replay'];
const GROUPS = ['integration', 'e2e-alone', 'e2e-fixture', 'e2e-ironic'];
await queue.addAll([
  () => run(WITHOUT_SERVERS, '--coverage', ...LEFT_TO_THE_NIGHT),
  ...GROUPS.map((project) => () => servers.then(() => run([project], ...LEFT_TO_THE_NIGHT))),
]);
failures.push(...(await differencesIn(auditLogs)));
await rm(auditLogs, { recursive: true });

if (skipped > 0) process.stdout.write(`\n${skipped} skipped, for the reasons above\n`);
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`);
process.stdout.write(`\n${slowest(files, 10)}`);
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
