import { createHash } from 'node:crypto';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheFolder } from '../cache-folder.ts';
import { withLock } from '../supervisor/with-lock.ts';
import { findPython } from './python.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');

export interface Venv {
  readonly dir: string;
  /** Path of a program that the packages installed. */
  bin(program: string): string;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const install = async (venvDir: string, packages: number, report: (message: string) => void): Promise<void> => {
  const pip = execa(
    join(venvDir, 'bin', 'python'),
    [
      '-m',
      'pip',
      'install',
      '--no-deps',
      '--no-input',
      '--disable-pip-version-check',
      '--progress-bar=off',
      `--requirement=${REQUIREMENTS}`,
    ],
    { all: true, reject: false },
  );
  let collected = 0;
  for await (const line of pip.iterable({ from: 'all' })) {
    const name = /^Collecting (\S+?)==/.exec(line)?.[1];
    if (name) report(`Python packages: ${name} (${++collected} of ${packages})`);
    if (line.startsWith('Installing collected packages')) report('Python packages: installing');
  }
  const result = await pip;
  if (result.failed) {
    const said = result.all.split('\n').slice(-15).join('\n');
    throw new Error(`installing Ironic's Python packages from PyPI into ${venvDir} failed:\n${said}`);
  }
};

/**
 * The Python environment of Ironic and its emulator: created once for each set of versions, then taken from the cache.
 */
export const ensureVenv = async (report: (message: string) => void = () => undefined): Promise<Venv> => {
  const requirements = await readFile(REQUIREMENTS, 'utf8');
  const python = await findPython();
  const key = createHash('sha256').update(requirements).update(python.fingerprint).digest('hex').slice(0, 12);
  const dir = join(cacheFolder(process.env), `venv-${key}`);
  const complete = join(dir, 'complete');
  const venv: Venv = { dir, bin: (program) => join(dir, 'bin', program) };
  if (await exists(complete)) return venv;
  return withLock(join(cacheFolder(process.env), 'venv.lock'), report, async () => {
    if (await exists(complete)) return venv;
    report(`Python environment with ${python.path}`);
    await rm(dir, { recursive: true, force: true });
    const made = await execa(python.path, ['-m', 'venv', dir], { reject: false });
    if (made.failed)
      throw new Error(`creating a Python environment in ${dir} failed: ${made.stderr || made.shortMessage}`);
    const packages = requirements.split('\n').filter((line) => line.includes('==')).length;
    await install(dir, packages, report);
    await writeFile(`${complete}.new`, `${new Date().toISOString()}\n`);
    await rename(`${complete}.new`, complete);
    return venv;
  });
};
