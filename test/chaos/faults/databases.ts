import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { type Battered, type Fault, kill, lasting, meanwhile } from './fault.ts';

/** The database of Temporal and SQLite's files beside it. */
const TEMPORAL = 'temporal.db';

async function temporalFiles(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((file) => file.startsWith(TEMPORAL));
}

const copyFolder = ({ dir }: Battered): string => join(dir, 'copy-of-database');

async function whileEnded(lab: Battered, names: readonly string[], act: () => Promise<unknown>): Promise<void> {
  for (const name of names) await kill(lab, name);
  await act();
  for (const name of names.toReversed()) await lab.start(name);
}

/** Some restores of etcd are announced: bridge and workers are restarted too. */
const alsoEnded = (random: Random): readonly string[] => random.pick([[], ['workers', 'bridge']]);

/**
 * Bridge and workers are restarted too: workers that kept running would answer for runs as they remember them, which
 * are further than the restored database.
 */
const temporalPutBack: Fault = {
  name: "put an earlier copy of Temporal's database back",
  async do(lab, random) {
    const copy = copyFolder(lab);
    const between = meanwhile(random, lab);
    await mkdir(copy, { recursive: true });
    await whileEnded(lab, ['temporal'], async () => {
      for (const file of await temporalFiles(lab.dir)) await cp(join(lab.dir, file), join(copy, file));
    });
    await lasting(between);
    await whileEnded(lab, ['workers', 'bridge', 'temporal'], async () => {
      for (const file of await temporalFiles(lab.dir)) await rm(join(lab.dir, file));
      await cp(copy, lab.dir, { recursive: true });
    });
    await rm(copy, { recursive: true });
    return `${between} ms old`;
  },
};

const temporalLost: Fault = {
  name: "lose Temporal's database",
  async do(lab) {
    await whileEnded(lab, ['temporal'], async () => {
      for (const file of await temporalFiles(lab.dir)) await rm(join(lab.dir, file));
    });
    return '';
  },
};

/** The API server is restarted with etcd, as are the controllers that would compare versions of two histories. */
const KUBERNETES = ['kube-controller-manager', 'kube-apiserver', 'etcd'];

const etcdRestored: Fault = {
  name: 'restore etcd from an earlier copy',
  async do(lab, random) {
    const data = join(lab.dir, 'etcd');
    const copy = copyFolder(lab);
    const between = meanwhile(random, lab);
    const others = alsoEnded(random);
    let from = 0;
    await whileEnded(lab, KUBERNETES, async () => {
      from = Date.now();
      await cp(data, copy, { recursive: true });
    });
    await lasting(between);
    await whileEnded(lab, [...others, ...KUBERNETES], async () => {
      await rm(data, { recursive: true });
      await cp(copy, data, { recursive: true });
      lab.journal.note({ kind: 'etcd restored', from });
    });
    await rm(copy, { recursive: true });
    return `${between} ms old${others.length === 0 ? '' : ', with bridge and workers restarted'}`;
  },
};

export const DATABASE_FAULTS: readonly Fault[] = [temporalPutBack, temporalLost, etcdRestored];
