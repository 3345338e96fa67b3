import { mkdirSync } from 'node:fs';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kube, KubeError, mayPass } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath } from '../../../kube/paths.ts';
import { NAMESPACE } from './hosts.ts';
import type { TestLab } from './lab.ts';

/** A lab of a test file of its own. */
type OwnLab = Pick<TestLab, 'dir' | 'kill' | 'start' | 'kube'>;

/** The databases of a lab of its own: where their files are, and the servers that end while they are replaced. */
const DATABASES = {
  etcd: { folder: '.', files: 'etcd', servers: ['etcd', 'kube-apiserver'] },
  temporal: { folder: '.', files: 'temporal.db', servers: ['temporal'] },
  ironic: { folder: 'ironic', files: 'ironic.sqlite', servers: ['ironic'] },
} as const;

export type Database = keyof typeof DATABASES;
export const ALL: readonly Database[] = ['etcd', 'temporal', 'ironic'];

/** A folder, or a file of SQLite with those beside it. */
async function copyFiles(database: Database, from: string, to: string): Promise<void> {
  const { files } = DATABASES[database];
  await mkdir(to, { recursive: true });
  const found = (await readdir(from)).filter((file) => file.startsWith(files));
  if (!found.includes(files)) throw new Error(`${from} has no ${files}`);
  await Promise.all(found.map((file) => cp(join(from, file), join(to, file), { recursive: true })));
}

export async function removeDatabase(lab: OwnLab, database: Database): Promise<void> {
  const { folder, files } = DATABASES[database];
  const dir = join(lab.dir, folder);
  const found = (await readdir(dir)).filter((file) => file.startsWith(files));
  await Promise.all(found.map((file) => rm(join(dir, file), { recursive: true })));
}

/** The servers of these databases are killed, and started again after the work. */
export async function whileDown(
  lab: OwnLab,
  databases: readonly Database[],
  work: () => Promise<unknown>,
): Promise<void> {
  const servers = databases.flatMap((each) => DATABASES[each].servers);
  for (const server of servers.toReversed()) await lab.kill(server, 'SIGKILL');
  await work();
  for (const server of servers) await lab.start(server);
  if (databases.includes('etcd')) for (const kind of Object.values(KINDS)) await untilServed(lab.kube, kind);
}

/** After its start, an API server that is ready refuses each kind with 429 until it has read the objects of it. */
async function untilServed(kube: Kube, kind: (typeof KINDS)[keyof typeof KINDS]): Promise<void> {
  for (;;) {
    try {
      await kube.find(collectionPath(kind, NAMESPACE));
      return;
    } catch (error) {
      // The lab may not have this kind.
      if (error instanceof KubeError && error.status === 404) return;
      if (!mayPass(error)) throw error;
      await pause(100);
    }
  }
}

const placeOf = (lab: OwnLab, database: Database): string => join(lab.dir, DATABASES[database].folder);
const copyOf = (lab: OwnLab, name: string, database: Database): string => join(lab.dir, 'copies', name, database);

/** Copies databases, of one and the same time. */
export const backUp = (lab: OwnLab, name: string, databases: readonly Database[]): Promise<void> =>
  whileDown(lab, databases, () =>
    Promise.all(databases.map((each) => copyFiles(each, placeOf(lab, each), copyOf(lab, name, each)))),
  );

/** Copies a database of SQLite while its server goes on; returns the folder of the copy. */
export function copyWhileRunning(lab: OwnLab, name: string, database: 'temporal' | 'ironic'): string {
  const copy = copyOf(lab, name, database);
  mkdirSync(copy, { recursive: true });
  const { files } = DATABASES[database];
  const original = new DatabaseSync(join(placeOf(lab, database), files), { readOnly: true, timeout: 60_000 });
  try {
    original.prepare('VACUUM INTO ?').run(join(copy, files));
  } finally {
    original.close();
  }
  return copy;
}

/** Puts the copies of these databases back; others stay as they are. */
export const putBack = (lab: OwnLab, name: string, databases: readonly Database[]): Promise<void> =>
  whileDown(lab, databases, () =>
    Promise.all(
      databases.map(async (each) => {
        await removeDatabase(lab, each);
        await copyFiles(each, copyOf(lab, name, each), placeOf(lab, each));
      }),
    ),
  );
