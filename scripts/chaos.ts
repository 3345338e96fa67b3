import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AUDIT_FOLDER } from '../lab/control-plane/audit.ts';
import { differencesAtNight } from './rights/differences.ts';
import { runVitest } from './vitest-run.ts';

/**
 * `npm run test:chaos -- --seed 7 --faults 200 --on fixture`: a campaign of faults (with `--only etcd,ahead` of those
 * whose name has one of these texts), with its journal and, when it fails, its lab in `.lab/`. The roles must allow everything that its
 * bridge and workers requested.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    faults: { type: 'string', default: '200' },
    on: { type: 'string', default: 'fixture' },
    hosts: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const { seed, faults, on } = values;
if (!['fixture', 'ironic'].includes(on)) throw new Error(`--on ${on}: only fixture and ironic are known`);

const folder = join(import.meta.dirname, '..', '.lab', `chaos-${on}-${seed}`);
const auditLogs = join(folder, 'audit');
await rm(auditLogs, { recursive: true, force: true });
await mkdir(auditLogs, { recursive: true });
Object.assign(process.env, {
  [AUDIT_FOLDER]: auditLogs,
  TEMPER_CHAOS_SEED: seed,
  TEMPER_CHAOS_FAULTS: faults,
  TEMPER_CHAOS_ON: on,
  TEMPER_CHAOS_HOSTS: values.hosts ?? (on === 'ironic' ? '12' : '50'),
  TEMPER_CHAOS_ONLY: values.only,
  TEMPER_CHAOS_LONGEST_MS: '60000',
  TEMPER_CHAOS_FOLDER: folder,
});
process.stdout.write(`seed ${seed}, ${faults} faults on ${on}; the journal is in ${folder}\n`);
const { failures: failed } = await runVitest('chaos', ['--project', 'e2e-alone', 'test/e2e/chaos.test.ts']);
const failures = [...failed, ...(await differencesAtNight(auditLogs, false))];
if (failures.length === 0) await rm(auditLogs, { recursive: true });
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
