import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { AUDIT_FOLDER } from '../lab/control-plane/audit.ts';
import { AT_NIGHT, filesWithStoriesAtNight } from './at-night.ts';
import { differencesAtNight } from './rights/differences.ts';
import { type FileResult, runVitest } from './vitest-run.ts';

/**
 * `npm run test:nightly`: the tests that take too long for `npm test`, or the given files of them. The roles must allow
 * everything that their bridges and workers requested. The last result of each file is kept in docs/nightly.md.
 */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = `${ROOT}docs/nightly.md`;
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
  TEMPER_FIXTURE_SLOWNESS: '1',
  TEMPER_RESET_POINTS: '1000',
  TEMPER_RESET_HOSTS: '60',
  TEMPER_KEPT_OBJECTS: '2000',
  TEMPER_KILL_POINTS: 'all',
  TEMPER_STORIES: 'all',
  TEMPER_SIGNALS: '10000',
  TEMPER_INDEXED_CLAIMS: '200',
  TEMPER_POOL_CLAIMS: '1000',
  TEMPER_CONVERTED_OBJECTS: '10000',
  TEMPER_WEBHOOK_BURSTS: '40',
};
const FILES = [
  'test/nightly',
  ...Object.keys(AT_NIGHT),
  ...(await filesWithStoriesAtNight()),
  'test/e2e/mutated-hosts.test.ts',
  'test/e2e/differential.test.ts',
  'test/e2e/nothing-kept.test.ts',
  'test/e2e/waiting-machines.test.ts',
  'test/integration/life.test.ts',
  'test/integration/data.test.ts',
  'test/integration/pools.test.ts',
  'test/integration/webhook-pauses.test.ts',
  'test/conversion',
];
const PROJECTS = ['nightly', 'e2e-fixture', 'e2e-ironic', 'e2e-cluster-api', 'e2e-alone', 'integration', 'unit'];

for (const [name, value] of Object.entries(SIZES)) process.env[name] ??= value;
const chosen = process.argv.slice(2);
const projects = PROJECTS.flatMap((name) => ['--project', name]);

// The API servers of all labs log what bridge and workers request.
const auditLogs = await mkdtemp(join(tmpdir(), 'temper-rights-'));
process.env[AUDIT_FOLDER] = auditLogs;

let passed = 0;
const failures: string[] = [];
const files: FileResult[] = [];
// One after the other: their time limits assume that nothing else runs.
for (const file of chosen.length > 0 ? chosen : FILES) {
  const result = await runVitest('nightly', [...projects, file]);
  passed += result.passed;
  failures.push(...result.failures);
  files.push(...result.files);
}
failures.push(...(await differencesAtNight(auditLogs, chosen.length === 0)));
await rm(auditLogs, { recursive: true });
await writeFile(PAGE, page(await keptRows(), await newRows(files)));
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}`);
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 ? 0 : 1;

/** Rows of the table by test file, for files that still exist. */
type Rows = ReadonlyMap<string, string>;

async function keptRows(): Promise<Rows> {
  const text = await readFile(PAGE, 'utf8').catch(() => '');
  const rows = text
    .split('\n')
    .flatMap((row) => [...row.matchAll(/^\| `([^`]+)` /g)].map(([, file = '']) => [file, row] as const));
  return new Map(rows.filter(([file]) => existsSync(ROOT + file)));
}

async function newRows(results: readonly FileResult[]): Promise<Rows> {
  const git = await execa('git', ['describe', '--always', '--dirty', '--exclude=*'], { cwd: ROOT, reject: false });
  const commit = git.stdout || 'none';
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const date = new Date().toISOString().slice(0, 10);
  return new Map(
    results.map((one) => {
      const file = relative(ROOT, one.file);
      const result = one.failed === 0 ? `${one.passed} passed` : `**${one.failed} failed**, ${one.passed} passed`;
      const took = `${(one.durationMs / 60_000).toFixed(1)} min`;
      return [file, `| \`${file}\` | ${result} | ${took} | ${date} | ${commit} | ${machine} |`];
    }),
  );
}

function page(kept: Rows, fresh: Rows): string {
  const rows = [...new Map([...kept, ...fresh])].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return `# The last nightly runs

Written by \`npm run test:nightly\`; not to be edited.

| Tests | Result | Took | On | At commit | On machine |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
