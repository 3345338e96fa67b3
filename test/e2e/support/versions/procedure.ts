import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { createResolver } from '../../../../lab/binaries/resolve.ts';
import type { FixtureEndpoints } from '../../../../lab/lab.ts';
import { ROOT } from '../start.ts';

/** The shell commands of each numbered step of a section of a page. */
export async function stepsOf(page: string, section: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const [, after] = text.split(`\n## ${section}\n`);
  if (after === undefined) throw new Error(`${page} has no section ${section}`);
  const [body = ''] = after.split('\n## ');
  return body
    .split(/\n\*\*(?=\d+\. )/)
    .slice(1)
    .map((step) => [...step.matchAll(/```sh\n([^]*?)```/g)].map(([, commands]) => commands).join('\n'));
}

/** The block of shell commands of a page that begins with this line. */
export async function blockOf(page: string, begin: string): Promise<string> {
  const text = await readFile(join(ROOT, page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
  const [, , found] =
    blocks.find(([, language, body = '']) => /^(sh)?$/.test(language ?? '') && body.startsWith(begin)) ?? [];
  if (found === undefined) throw new Error(`${page} has no block of commands that begins with ${begin}`);
  return found;
}

/**
 * `npx temper` without npm, which takes a second of CPU time to find the command, and some tests run dozens. The tutorial
 * is followed with npm's own (`test/e2e/start.test.ts`), as are other programs: this npx lies in the first folder of PATH.
 */
const NPX = `#!/bin/sh
if [ "$1" != temper ]; then PATH="\${PATH#*:}" exec npx "$@"; fi
shift
exec node '${join(ROOT, 'scripts/temper.mjs')}' "$@"
`;

/** Runs shell commands as an administrator of the lab does; returns what they printed. */
export async function createShell(
  folder: string,
  {
    kubeconfig,
    temporalAddress,
    temporalNamespace,
    temporalCli,
  }: Pick<FixtureEndpoints, 'kubeconfig' | 'temporalAddress' | 'temporalNamespace' | 'temporalCli'>,
): Promise<(commands: string, variables: Readonly<Record<string, string>>) => Promise<string>> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(temporalCli, join(bin, 'temporal'));
  await symlink((await createResolver()('kubectl')).path, join(bin, 'kubectl'));
  await writeFile(join(bin, 'npx'), NPX, { mode: 0o755 });
  const env = {
    PATH: `${bin}${delimiter}${process.env['PATH']}`,
    KUBECONFIG: kubeconfig,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: temporalNamespace,
    // Outputs are compared: npx says nothing about the npm settings of the machine.
    npm_config_loglevel: 'error',
  };
  // A bash whose input is a socket would read the machine's own settings.
  const options = { cwd: ROOT, all: true, stdin: 'ignore' } as const;
  return async (commands, variables) =>
    (await execa('bash', ['--norc', '-euc', commands], { ...options, env: { ...env, ...variables } })).all;
}
