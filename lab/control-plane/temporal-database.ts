import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

const DATABASE = 'temporal.db';
/** Holds the version of the server that last used the database. Labs before this file had server 1.29. */
const USED_BY = 'temporal-server';
/** SQLite's files of one database. */
const SUFFIXES = ['', '-wal', '-shm'];

export const databasePath = (dir: string): string => join(dir, DATABASE);

/** Set when a database of another server version was moved aside. */
export interface PutAside {
  readonly from: string;
  readonly to: string;
  readonly file: string;
}

/**
 * The development server creates the tables of a new database, but does not migrate an old database: it opens it, and
 * then fails to list runs. So a database of another minor version is moved aside. The bridge then starts the runs
 * again.
 */
export async function prepareDatabase(dir: string, binary: string): Promise<PutAside | undefined> {
  const usedBy = join(dir, USED_BY);
  const to = await serverVersion(binary);
  const from = existsSync(databasePath(dir)) ? await readFile(usedBy, 'utf8').catch(() => 'before 1.32') : to;
  const moved = minorOf(from) === minorOf(to) ? undefined : { from, to, file: await putAside(dir) };
  await writeFile(usedBy, to);
  return moved;
}

async function putAside(dir: string): Promise<string> {
  const file = join(dir, `old-${DATABASE}`);
  for (const suffix of SUFFIXES) {
    await rm(`${file}${suffix}`, { force: true });
    if (existsSync(`${databasePath(dir)}${suffix}`)) await rename(`${databasePath(dir)}${suffix}`, `${file}${suffix}`);
  }
  return file;
}

async function serverVersion(binary: string): Promise<string> {
  const { stdout } = await execa(binary, ['--version']);
  const version = /Server (\d+\.\d+\S*?)[,)]/.exec(stdout)?.[1];
  if (version === undefined) throw new Error(`${binary} --version does not name its server: ${stdout}`);
  return version;
}

const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');
