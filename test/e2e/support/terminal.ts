import { mkdir, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { createResolver } from '../../../lab/binaries/resolve.ts';

/**
 * Runs commands one after the other in a folder, as in one terminal: each command gets the variables that earlier ones
 * exported. Returns their output.
 */
export async function openTerminal(folder: string, cwd: string): Promise<(commands: string) => Promise<string>> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink((await createResolver()('kubectl')).path, join(bin, 'kubectl'));
  const exported = join(folder, 'exported');
  const env = { PATH: `${bin}${delimiter}${process.env['PATH']}`, EXPORTED: exported };
  return async (commands) => {
    const script = `if [ -e "$EXPORTED" ]; then . "$EXPORTED"; fi\n${commands}\nexport -p > "$EXPORTED"`;
    // A bash whose input is a socket would read the machine's own settings.
    const ran = await execa('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd,
      env,
      all: true,
      stdin: 'ignore',
    });
    return ran.all;
  };
}
