import type { Change } from './release.ts';

/**
 * The workflow code of a newer release, which cannot continue what the older one began, except where it has a patch; and
 * the other way round.
 */
export const PATCH = '2027-01-15-newer-release';
export const NEWER: readonly Change[] = [
  {
    file: 'workflows/life/live.ts',
    from: '  for (;;) {\n',
    to: `  for (;;) {\n    if (patched('${PATCH}')) await sleep(1, { summary: 'As the newer release does it' });\n`,
  },
  {
    file: 'workflows/life/live.ts',
    from: 'makeContinueAsNewFunc }',
    to: 'makeContinueAsNewFunc, patched, sleep }',
  },
  {
    file: 'workflows/operations/provision.ts',
    from: '  const cleaned = await drive({',
    to: "  await sleep(1, { summary: 'As the newer release does it' });\n  const cleaned = await drive({",
  },
  {
    file: 'workflows/operations/provision.ts',
    from: "import { drive } from './drive.ts';",
    to: "import { sleep } from '@temporalio/workflow';\nimport { drive } from './drive.ts';",
  },
];
