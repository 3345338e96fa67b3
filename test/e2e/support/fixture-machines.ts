import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { configMapPath } from '../../../kube/paths.ts';
import { followVersions } from './follow-versions.ts';
import { type Requests, requestsIn } from './kill-points/requests.ts';
import type { Written } from './kill-points/walk.ts';
import { NAMESPACE } from './place/namespace.ts';

/** The machines of the fixture in the API server: the requests to each, counted outside our code. */
export interface MachineRecords {
  /** How often the machine of this host was told to do something, since the beginning. */
  told(host: string): Requests;
  isGone(host: string): boolean;
  /**
   * Makes the operation of the machine, which runs or is about to begin, last until it is released. Resolves when it
   * runs; the returned function releases it.
   */
  hold(host: string): Promise<() => Promise<void>>;
  close(): void;
}

const machine = z.looseObject({
  metadata: z.looseObject({ name: z.string(), resourceVersion: z.string() }),
  data: z.looseObject({ host: z.string().default(''), nextAt: z.string().default('') }),
});
type Machine = z.infer<typeof machine>;

/** The end of a machine's operation is delayed by this time, again and again: workers wait until the end they know. */
const PUT_OFF_MS = 5_000;
/** Shorter than any operation of a test that holds machines. */
const LOOK_MS = 200;

/** Watches the machines of the file's namespace. */
export function watchMachines(kube: Kube): MachineRecords {
  const ending = new AbortController();
  const versions = new Map<string, Machine[]>();
  const gone = new Set<string>();
  const path = configMapPath({ namespace: NAMESPACE });
  const query = { labelSelector: 'temper/fixture=machine' };
  void followVersions(
    kube,
    { path, query },
    ({ type, object }) => {
      const version = machine.parse(object);
      const { host } = version.data;
      if (type === 'DELETED') gone.add(host);
      else versions.set(host, [...(versions.get(host) ?? []), version]);
    },
    ending.signal,
  );
  const writtenOf = (host: string): readonly Written[] =>
    (versions.get(host) ?? []).map(({ metadata, data }) => ({
      sender: 'workers',
      method: 'PATCH',
      path: `/configmaps/${metadata.name}`,
      body: { data },
      status: 200,
    }));
  return {
    told: (host) => requestsIn(writtenOf(host)),
    isGone: (host) => gone.has(host),
    async hold(host) {
      /** Changes the end of a running operation. Resolves with whether one runs. */
      const endAt = async (inMs: number): Promise<boolean> => {
        const { metadata, data } = versions.get(host)?.at(-1) ?? {};
        const leftMs = Date.parse(data?.nextAt ?? '') - Date.now();
        if (metadata === undefined || !(leftMs > 0)) return false;
        if (leftMs > inMs - PUT_OFF_MS / 5 && inMs > 0) return true;
        const { name, resourceVersion } = metadata;
        const nextAt = new Date(Date.now() + inMs).toISOString();
        const path = configMapPath({ namespace: NAMESPACE, name });
        // Refused when the machine has changed: the watch brings that version.
        return kube.patch(path, { metadata: { resourceVersion }, data: { nextAt } }).then(
          () => true,
          () => false,
        );
      };
      const putOff = (): Promise<boolean> => endAt(PUT_OFF_MS);
      while (!(await putOff())) await sleep(LOOK_MS);
      const timer = setInterval(() => void putOff(), LOOK_MS);
      return async () => {
        clearInterval(timer);
        await endAt(0);
      };
    },
    close: () => ending.abort(),
  };
}
