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
  /** Makes the running operation of the machine last until it is released. The returned function releases it. */
  hold(host: string): Promise<() => Promise<void>>;
  close(): void;
}

const machine = z.looseObject({
  metadata: z.looseObject({ name: z.string(), resourceVersion: z.string() }),
  data: z.looseObject({ host: z.string().default(''), nextAt: z.string().default('') }),
});
type Machine = z.infer<typeof machine>;

/** The end of a machine's operation is delayed by this time, again and again. */
const PUT_OFF_MS = 5_000;

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
      const name = versions.get(host)?.at(-1)?.metadata.name ?? '';
      const path = configMapPath({ namespace: NAMESPACE, name });
      /** Changes the end of a running operation; an operation that has ended is not changed. */
      const endAt = async (inMs: number): Promise<void> => {
        const { metadata, data } = machine.parse(await kube.request({ path }));
        if (Date.parse(data.nextAt) <= Date.now() || data.nextAt === '') return;
        const { resourceVersion } = metadata;
        const nextAt = new Date(Date.now() + inMs).toISOString();
        await kube.patch(path, { metadata: { resourceVersion }, data: { nextAt } });
      };
      const putOff = (): Promise<void> => endAt(PUT_OFF_MS).catch(() => undefined);
      await putOff();
      const timer = setInterval(() => void putOff(), PUT_OFF_MS / 5);
      return async () => {
        clearInterval(timer);
        await endAt(0).catch(() => undefined);
      };
    },
    close: () => ending.abort(),
  };
}
