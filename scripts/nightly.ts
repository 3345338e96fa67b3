import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { AUDIT_FOLDER } from '../lab/control-plane/audit.ts';
import { filesForTheNight } from './at-night.ts';
import { type Circumstances, NIGHTLY_PAGE, nightlyPage, type Rows, rowOf, rowsOf } from './nightly-page.ts';
import { differencesAtNight } from './rights/differences.ts';
import { type FileResult, runVitest } from './vitest-run.ts';

/**
 * `npm run test:nightly`: the tests that take too long for `npm test`, or the given files of them. The roles must allow
 * everything that their bridges and workers requested. The last result of each file is kept in test/nightly/results.md.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = ROOT + NIGHTLY_PAGE;
const SIZES = {
  TEMPER_NIGHT: 'true',
  TEMPER_MUTATED_HOSTS: '10000',
  TEMPER_CLAIMED_HOSTS: '1000',
  TEMPER_OPERATIONS: '60',
  TEMPER_WAITING_HOSTS: '20',
  TEMPER_WAITING_MACHINES: '2000',
  TEMPER_LOST_HOSTS: '20',
  TEMPER_UPGRADED_HOSTS: '20',
  TEMPER_RESTORED_HOSTS: '20',
  TEMPER_RESTARTED_HOSTS: '6',
  TEMPER_FLIPPED_HOSTS: '40',
  TEMPER_FIXTURE_SLOWNESS: '1',
  TEMPER_RESET_POINTS: '1000',
  TEMPER_RESET_HOSTS: '60',
  TEMPER_KEPT_OBJECTS: '1998',
  TEMPER_KILL_POINTS: 'all',
  TEMPER_STORIES: 'all',
  TEMPER_SIGNALS: '10000',
  TEMPER_INDEXED_CLAIMS: '200',
  TEMPER_POOL_CLAIMS: '1000',
  TEMPER_CONVERTED_OBJECTS: '10000',
  TEMPER_WEBHOOK_BURSTS: '40',
};
const PROJECTS = ['nightly', 'e2e-fixture', 'e2e-ironic', 'e2e-cluster-api', 'e2e-alone', 'integration', 'unit'];

for (const [name, value] of Object.entries(SIZES)) process.env[name] ??= value;
const forTheNight = await filesForTheNight();
const chosen = process.argv.slice(2);
const projects = PROJECTS.flatMap((name) => ['--project', name]);

// The API servers of all labs log what bridge and workers request.
const auditLogs = await mkdtemp(join(tmpdir(), 'temper-rights-'));
process.env[AUDIT_FOLDER] = auditLogs;

const at = await circumstances();
let passed = 0;
const failures: string[] = [];
// One after the other: their time limits assume that nothing else runs.
for (const file of chosen.length > 0 ? chosen : forTheNight) {
  const result = await runVitest('nightly', [...projects, file]);
  passed += result.passed;
  failures.push(...result.failures);
  // After each file: a run that is ended keeps what it has.
  await writeFile(PAGE, nightlyPage(new Map([...(await keptRows()), ...newRows(result.files)]), forTheNight));
}
failures.push(...(await differencesAtNight(auditLogs, chosen.length === 0)));
await rm(auditLogs, { recursive: true });
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`);
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Rows of files that still exist. */
async function keptRows(): Promise<Rows> {
  const text = await readFile(PAGE, 'utf8').catch(() => '');
  return new Map([...rowsOf(text)].filter(([file]) => existsSync(ROOT + file)));
}

async function circumstances(): Promise<Circumstances> {
  const git = (...args: readonly string[]) => execa('git', args, { cwd: ROOT, reject: false });
  const { stdout: commit } = await git('rev-parse', '--short=8', 'HEAD');
  // Earlier runs of the night have written their page.
  const { stdout: changes } = await git(
    'status',
    '--porcelain',
    '--untracked-files=no',
    '--',
    `:!${relative(ROOT, PAGE)}`,
  );
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const dirty = changes === '' ? '' : '-dirty';
  return { date: new Date().toISOString().slice(0, 10), commit: commit === '' ? 'none' : `${commit}${dirty}`, machine };
}

function newRows(results: readonly FileResult[]): Rows {
  return new Map(
    results.map((one) => {
      const file = relative(ROOT, one.file);
      return [file, rowOf({ ...one, file }, at)];
    }),
  );
}
