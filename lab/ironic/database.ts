import { constants, copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Venv } from './venv.ts';

/** Creates an empty database once for each venv, next to it: this saves each new lab 3 s. */
const emptyDatabase = async (venv: Venv): Promise<string> => {
  const scratch = await mkdtemp(join(tmpdir(), 'temper-schema-'));
  try {
    const database = join(scratch, 'ironic.sqlite');
    const conf = join(scratch, 'ironic.conf');
    await writeFile(conf, `[database]\nconnection = sqlite:///${database}\n`);
    const made = await execa(venv.bin('ironic-dbsync'), ['--config-file', conf, 'create_schema'], {
      reject: false,
      all: true,
    });
    if (made.failed) throw new Error(`creating Ironic's database failed: ${made.all || made.shortMessage}`);
    const kept = join(venv.dir, 'empty.sqlite');
    await copyFile(database, `${kept}.${process.pid}`);
    await rename(`${kept}.${process.pid}`, kept);
    return kept;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

/** Puts Ironic's database at `path`; an existing one is kept with all its nodes. */
export const ensureDatabase = async (venv: Venv, path: string, report: (message: string) => void): Promise<void> => {
  const { COPYFILE_EXCL } = constants;
  const copy = (from: string): Promise<boolean> =>
    copyFile(from, path, COPYFILE_EXCL).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return true;
        if (error.code === 'ENOENT') return false;
        throw error;
      },
    );
  if (await copy(join(venv.dir, 'empty.sqlite'))) return;
  report('database of Ironic');
  await copy(await emptyDatabase(venv));
};
