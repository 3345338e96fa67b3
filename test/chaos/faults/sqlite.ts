import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A database of SQLite: its file, and those beside it that begin with the same name. */
export interface Sqlite {
  readonly folder: string;
  readonly file: string;
}

async function filesOf({ folder, file }: Sqlite): Promise<readonly string[]> {
  return (await readdir(folder)).filter((each) => each.startsWith(file));
}

export async function copyDatabase(database: Sqlite, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const file of await filesOf(database)) await cp(join(database.folder, file), join(to, file));
}

export async function removeDatabase(database: Sqlite): Promise<void> {
  for (const file of await filesOf(database)) await rm(join(database.folder, file));
}
