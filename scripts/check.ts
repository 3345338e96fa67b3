import { passes, STATIC_CHECKS } from './checks.ts';

/** `npm run check`: the static checks, the unit tests and the replay; stops at the first failure. */
const CHECKS = [
  ...STATIC_CHECKS,
  { name: 'unit tests', command: ['vitest', 'run', '--project', 'unit', '--coverage'] },
  { name: 'replay', command: ['vitest', 'run', '--project', 'replay'] },
] as const;

for (const check of CHECKS) {
  if (!(await passes(check))) process.exit(1);
}
