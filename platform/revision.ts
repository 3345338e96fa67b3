import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';

const ROOT = join(import.meta.dirname, '..');

/** The commit of this checkout, with `-dirty` when files have changed since; undefined: this is no checkout. */
export function revisionOfCheckout(): string | undefined {
  if (!existsSync(join(ROOT, '.git'))) return undefined;
  const { exitCode, stdout } = execaSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
    cwd: ROOT,
    reject: false,
  });
  return exitCode === 0 ? stdout : undefined;
}
