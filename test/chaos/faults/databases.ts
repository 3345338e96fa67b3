import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../random.ts';
import { type Battered, type Fault, lasting, meanwhile, whileEnded } from './fault.ts';
import { copyDatabase, removeDatabase, type Sqlite } from './sqlite.ts';

const databaseOf = ({ dir }: Battered): Sqlite => ({ folder: dir, file: 'temporal.db' });

const copyFolder = ({ dir }: Battered): string => join(dir, 'copy-of-database');

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
    await whileEnded(lab, ['temporal'], () => copyDatabase(databaseOf(lab), copy));
    await lasting(between);
    await whileEnded(lab, ['workers', 'bridge', 'temporal'], async () => {
      await removeDatabase(databaseOf(lab));
      await cp(copy, lab.dir, { recursive: true });
    });
    await rm(copy, { recursive: true });
    return `${between} ms old`;
  },
};

const temporalLost: Fault = {
  name: "lose Temporal's database",
  async do(lab) {
    await whileEnded(lab, ['temporal'], () => removeDatabase(databaseOf(lab)));
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
