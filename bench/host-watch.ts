import { z } from 'zod';
import { connectKube, type Kube } from '../kube/client.ts';
import { kindPath } from '../kube/paths.ts';
import { NAMESPACE } from './hosts.ts';

const host = z.object({
  metadata: z.object({ name: z.string(), resourceVersion: z.string() }),
  status: z
    .object({
      operationalStatus: z.string().optional(),
      errorMessage: z.string().optional(),
      poweredOn: z.boolean().optional(),
      provisioning: z.object({ state: z.string() }).optional(),
    })
    .optional(),
});
const event = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: host }),
  z.object({ type: z.enum(['BOOKMARK', 'ERROR']) }),
]);
const list = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

/** A host came into a state at a moment (milliseconds since the epoch). */
export interface Arrival {
  readonly host: string;
  readonly state: string;
  readonly at: number;
}

/** The state of a host that is not there (any more). */
export const GONE = 'gone';

export interface HostWatch {
  /** Resolves when every host is in the state, with the moment the last one came into it; rejects when one shows an error. */
  all(hosts: readonly string[], state: string): Promise<number>;
  /** Resolves when every host says that its power is so. */
  powered(hosts: readonly string[], on: boolean): Promise<void>;
  /** All that was seen so far, in order. */
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

/** Follows the hosts of the API server that a kubeconfig names, as long as `use` runs. */
export async function watching<T>(kubeconfig: string, use: (kube: Kube, watch: HostWatch) => Promise<T>): Promise<T> {
  const kube = connectKube(kubeconfig);
  try {
    const watch = await watchHosts(kube);
    try {
      return await use(kube, watch);
    } finally {
      await watch.stop();
    }
  } finally {
    await kube.close();
  }
}

/** Notes when each host comes into each state, as everybody who watches the API sees it. */
async function watchHosts(kube: Kube): Promise<HostWatch> {
  const arrivals: Arrival[] = [];
  const latest = new Map<string, Arrival>();
  const power = new Map<string, boolean>();
  const stopping = new AbortController();
  let failure: Error | undefined;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };

  const see = (seen: z.infer<typeof host>, deleted: boolean): void => {
    const { name } = seen.metadata;
    const state = deleted ? GONE : (seen.status?.provisioning?.state ?? '');
    power.set(name, seen.status?.poweredOn === true);
    if (!deleted && seen.status?.operationalStatus === 'error') {
      failure ??= new Error(`${name} failed in state ${state}: ${seen.status.errorMessage}`);
    } else if (latest.get(name)?.state !== state) {
      const arrival = { host: name, state, at: Date.now() };
      latest.set(name, arrival);
      arrivals.push(arrival);
    }
    wake();
  };

  const path = kindPath('baremetalhosts', NAMESPACE);
  const { metadata } = list.parse(await kube.request({ path }));
  const follow = async (): Promise<void> => {
    const query = { watch: true, resourceVersion: metadata.resourceVersion };
    for await (const line of kube.lines({ path, query, signal: stopping.signal })) {
      const parsed = event.parse(JSON.parse(line));
      if ('object' in parsed) see(parsed.object, parsed.type === 'DELETED');
    }
    throw new Error('the API server ended the watch');
  };
  const following = follow().catch((error: unknown) => {
    if (stopping.signal.aborted) return;
    failure ??= new Error('following the hosts', { cause: error });
    wake();
  });

  return {
    arrivals,
    async all(hosts, state) {
      for (;;) {
        if (failure !== undefined) throw failure;
        const present = hosts.map((name) => latest.get(name));
        if (present.every((arrival) => arrival?.state === state)) {
          return Math.max(...present.map((arrival) => arrival?.at ?? 0));
        }
        await changed.promise;
      }
    },
    async powered(hosts, on) {
      for (;;) {
        if (failure !== undefined) throw failure;
        if (hosts.every((name) => power.get(name) === on)) return;
        await changed.promise;
      }
    },
    async stop() {
      stopping.abort();
      await following;
    },
  };
}
