import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { configMapPath } from '../../../kube/paths.ts';
import { followVersions } from './follow-versions.ts';
import { type Requests, requestsIn } from './kill-points/requests.ts';
import type { Written } from './kill-points/walk.ts';
import { NAMESPACE } from './place/namespace.ts';

/** States of a machine while it is inspected, deployed, and undeployed. */
export type Operation = 'inspect wait' | 'wait call-back' | 'deleting';

export interface Hold {
  /** Resolves with whether the operation is held: on a busy computer it may be over before that is possible. */
  readonly held: Promise<boolean>;
  release(): Promise<void>;
}

/** The machines of the fixture in the API server: the requests to each, counted outside our code. */
export interface MachineRecords {
  /** How often the machine of this host was told to do something, since the beginning. */
  told(host: string): Requests;
  isGone(host: string): boolean;
  /** Makes the next operation of the machine that has this state last until it is released, from its beginning. */
  hold(host: string, during: Operation): Hold;
  close(): void;
}

const machine = z.looseObject({
  metadata: z.looseObject({ name: z.string(), resourceVersion: z.string() }),
  data: z.looseObject({
    host: z.string().default(''),
    state: z.string().default(''),
    since: z.string().default(''),
    nextAt: z.string().default(''),
  }),
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
  const lastOf = (host: string): Machine | undefined => versions.get(host)?.at(-1);
  /** How long (ms) the machine will have this state, if it has it. */
  const leftOf = (host: string, state: string): number => {
    const { data } = lastOf(host) ?? {};
    return data?.state === state ? Date.parse(data.nextAt) - Date.now() : 0;
  };
  /** How often the machine was seen in this state: each time since another moment. */
  const timesIn = (host: string, state: string): number =>
    new Set((versions.get(host) ?? []).flatMap(({ data }) => (data.state === state ? [data.since] : []))).size;
  return {
    told: (host) => requestsIn(writtenOf(host)),
    isGone: (host) => gone.has(host),
    hold(host, during) {
      const timesBefore = timesIn(host, during);
      /** Changes the end of the operation. Resolves with whether it runs. */
      const endAt = async (inMs: number): Promise<boolean> => {
        const { metadata } = lastOf(host) ?? {};
        const leftMs = leftOf(host, during);
        if (metadata === undefined || !(leftMs > 0)) return false;
        if (inMs > 0 && leftMs > inMs - PUT_OFF_MS / 5) return true;
        const { name, resourceVersion } = metadata;
        const nextAt = new Date(Date.now() + inMs).toISOString();
        const path = configMapPath({ namespace: NAMESPACE, name });
        // Refused when the machine has changed: the watch brings that version.
        return kube.patch(path, { metadata: { resourceVersion }, data: { nextAt } }).then(
          () => true,
          () => false,
        );
      };
      let isOver = false;
      const isMissed = (): boolean => timesIn(host, during) > timesBefore && !(leftOf(host, during) > 0);
      const untilItRuns = async (): Promise<boolean> => {
        while (!isOver && !ending.signal.aborted && !isMissed()) {
          if (await endAt(PUT_OFF_MS)) return true;
          await sleep(LOOK_MS);
        }
        return false;
      };
      const timer = setInterval(() => void endAt(PUT_OFF_MS), LOOK_MS);
      ending.signal.addEventListener('abort', () => clearInterval(timer));
      return {
        held: untilItRuns(),
        async release() {
          isOver = true;
          clearInterval(timer);
          await endAt(0);
        },
      };
    },
    close: () => ending.abort(),
  };
}
