import { COMPILED } from '../platform/node-flags.ts';
import { AT_NIGHT } from './at-night.ts';
import { failedOf, STATIC_CHECKS } from './checks.ts';

const left = Object.keys(AT_NIGHT).map((file) => `--exclude=${file}`);

/** `npm run check`: the static checks, the unit tests and the replay. */
const CHECKS = [
  // The longest first, so that the others run beside it.
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit', ...left], env: COMPILED },
  { name: 'replay', command: ['vitest', 'run', '--project', 'replay'], env: COMPILED },
  ...STATIC_CHECKS,
] as const;

const failed = await failedOf(CHECKS);
for (const name of failed) process.stdout.write(`\nfailed: ${name}`);
process.stdout.write(`\n${CHECKS.length - failed.length} checks passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
