import { COMPILED } from '../platform/node-flags.ts';
import { LEFT_TO_THE_NIGHT } from './at-night.ts';
import { failedOf, STATIC_CHECKS } from './checks.ts';

/** `npm run check`: the static checks, the unit tests and the replay. */
const CHECKS = [
  // The longest first, so that the others run beside it.
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit', ...LEFT_TO_THE_NIGHT], env: COMPILED },
  { name: 'replay', command: ['vitest', 'run', '--project', 'replay'], env: COMPILED },
  ...STATIC_CHECKS,
] as const;

const failed = await failedOf(CHECKS);
for (const name of failed) process.stdout.write(`\nfailed: ${name}`);
process.stdout.write(`\n${CHECKS.length - failed.length} checks passed, ${failed.length} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
