import type { Happening } from '../happenings.ts';
import type { On } from '../lab.ts';
import { createEarlierRecords, type EarlierRecords } from './earlier-records.ts';
import { createForgotten, type Forgotten } from './forgotten.ts';
import { createSetBack, type SetBack } from './set-back.ts';

/** The consequences of restores of etcd and Ironic that nobody can expect to be repaired. */
export interface Restores {
  /** Servers that are not as they were told. */
  readonly setBack: Pick<SetBack, 'undone'>;
  readonly forgotten: Pick<Forgotten, 'has'>;
  readonly earlier: Pick<EarlierRecords, 'of'>;
  /** Servers that are as they were told, of which the restored objects know nothing. */
  readonly untold: Pick<SetBack, 'undone'>;
  take(happening: Happening): void;
}

/** Only the servers of the fixture are in etcd; only the nodes of Ironic stay when their hosts do not. */
export function createRestores(on: On): Restores {
  const setBack = createSetBack();
  const forgotten = createForgotten();
  const earlier = createEarlierRecords();
  const untold = createSetBack();
  const followed = on === 'fixture' ? [setBack] : [forgotten, earlier, untold];
  return {
    setBack,
    forgotten,
    earlier,
    untold,
    take(happening) {
      for (const one of followed) one.take(happening);
    },
  };
}
