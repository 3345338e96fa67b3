import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runVitest } from './vitest-run.ts';

/**
 * `npm run test:chaos -- --seed 7 --faults 200 --on fixture`: a campaign of faults (with `--only etcd` of those whose
 * name has this text), with its journal and, when it fails, its lab in `.lab/`.
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
Object.assign(process.env, {
  TEMPER_CHAOS_SEED: seed,
  TEMPER_CHAOS_FAULTS: faults,
  TEMPER_CHAOS_ON: on,
  TEMPER_CHAOS_HOSTS: values.hosts ?? (on === 'ironic' ? '12' : '50'),
  TEMPER_CHAOS_ONLY: values.only,
  TEMPER_CHAOS_LONGEST_MS: '60000',
  TEMPER_CHAOS_FOLDER: folder,
});
process.stdout.write(`seed ${seed}, ${faults} faults on ${on}; the journal is in ${folder}\n`);
const { failures } = await runVitest('chaos', ['--project', 'e2e-alone', 'test/e2e/chaos.test.ts']);
for (const failure of failures) process.stdout.write(`\nfailed: ${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
