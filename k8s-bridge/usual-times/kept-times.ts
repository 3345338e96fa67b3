import type { Passage } from '../../domain/usual-times/busy-state.ts';
import { learned, type UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { isNotFound } from '../../kube/client.ts';
import { readUsualTimes, USUAL_TIMES, usualTimesData } from '../../kube/objects/usual-times.ts';
import { configMapPath } from '../../kube/paths.ts';
import type { Around } from '../around.ts';

export interface KeptTimes {
  /** Reads what earlier bridges have learned. Until then, nothing is known or learned. */
  load(): Promise<void>;
  readonly isLoaded: boolean;
  readonly times: UsualTimes;
  learn(model: string, passage: Passage): void;
  /** Writes the ConfigMap, if something was learned since the last write. */
  save(): Promise<void>;
}

interface KeptTimesDeps extends Pick<Around, 'kube' | 'log' | 'now'> {
  /** Namespace of the ConfigMap. */
  readonly namespace: string;
}

/** Stores the times that this bridge and earlier ones have learned, in a ConfigMap. */
export function createKeptTimes({ kube, namespace, log, now }: KeptTimesDeps): KeptTimes {
  const path = configMapPath({ namespace, name: USUAL_TIMES });
  let times: UsualTimes = {};
  let saved = times;
  let isLoaded = false;
  const create = async (data: object): Promise<void> => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: USUAL_TIMES }, data };
    await kube.request({ method: 'POST', path: configMapPath({ namespace }), body });
  };
  return {
    async load() {
      const found = await kube.find(path);
      const read = found === undefined ? {} : readUsualTimes(found);
      if (read === undefined)
        log.warn({ configMap: USUAL_TIMES, namespace }, 'the usual times are unreadable and begin anew');
      times = read ?? {};
      saved = times;
      isLoaded = true;
    },
    get isLoaded() {
      return isLoaded;
    },
    get times() {
      return times;
    },
    learn(model, passage) {
      if (isLoaded) times = learned(times, model, passage, now());
    },
    async save() {
      if (saved === times) return;
      const saving = times;
      const data = usualTimesData(saving);
      await kube.patch(path, { data }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return create(data);
      });
      saved = saving;
    },
  };
}
