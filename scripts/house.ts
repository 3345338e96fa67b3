import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { filesForState } from './house/added-state.ts';
import { filesOfField } from './house/field.ts';
import { filesOfKind } from './house/kind.ts';
import { linesOf, ROOT } from './house/production.ts';
import { filesDecidingByName } from './house/states.ts';

/**
 * `npm run house [-- COMMIT…]`: how many files a field, a kind and a state cost, and how many lines the product has, at
 * each commit (by default HEAD), all measured by the code of this checkout.
 */

async function atCommit<T>(commit: string, measure: (checkout: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'temper-house-'));
  const checkout = join(folder, 'checkout');
  const git = (...args: readonly string[]) => execa('git', ['-C', ROOT, ...args]);
  try {
    await git('worktree', 'add', '--detach', '--quiet', checkout, commit);
    await symlink(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    return await measure(checkout);
  } finally {
    await git('worktree', 'remove', '--force', checkout).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

const listed = (what: string, files: readonly string[]): string =>
  `${String(files.length).padStart(7)}  ${what}\n${files.map((file) => `           ${file}\n`).join('')}`;

async function measured(checkout: string): Promise<string> {
  const { own, existing } = filesOfKind(checkout);
  const lines = linesOf(checkout);
  const byName = filesDecidingByName(checkout);
  return [
    listed('files for an optional field that Ironic keeps (disablePowerOff)', filesOfField(checkout)),
    listed('existing files for a kind (Metal3Remediation)', existing),
    `${String(own.length).padStart(7)}  files in rooms of that kind\n`,
    listed('files that decide by the name of a state, which the compiler does not find', byName),
    listed('files that the compiler finds for another state', await filesForState(checkout)),
    `${String(lines).padStart(7)}  lines of bridge, workers and command line\n`,
  ].join('');
}

for (const commit of process.argv.length > 2 ? process.argv.slice(2) : ['HEAD'])
  process.stdout.write(`${commit}\n${await atCommit(commit, measured)}\n`);
