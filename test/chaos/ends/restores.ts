import type { Happening } from '../happenings.ts';
import type { On } from '../lab.ts';
import { createForgotten, type Forgotten } from './forgotten.ts';
import { createSetBack, type SetBack } from './set-back.ts';

/** The consequences of restores of etcd that nobody can expect to be repaired. */
export interface Restores {
  readonly setBack: Pick<SetBack, 'undone'>;
  readonly forgotten: Pick<Forgotten, 'has'>;
  take(happening: Happening): void;
}

/** Only the servers of the fixture are in etcd; only the nodes of Ironic stay when their hosts do not. */
export function createRestores(on: On): Restores {
  const setBack = createSetBack();
  const forgotten = createForgotten();
  return {
    setBack,
    forgotten,
    take: on === 'fixture' ? (happening) => setBack.take(happening) : (happening) => forgotten.take(happening),
  };
}
