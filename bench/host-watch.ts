import { z } from 'zod';
import { connectKube, type Kube } from '../kube/client.ts';
import { hostCollection } from '../kube/paths.ts';
import { createReflector, nameOf, type ObjectIdentity } from '../kube/reflector.ts';
import { NAMESPACE } from './hosts.ts';

const host = z.object({
  metadata: z.object({ namespace: z.string(), name: z.string(), uid: z.string(), resourceVersion: z.string() }),
  status: z
    .object({
      operationalStatus: z.string().optional(),
      errorMessage: z.string().optional(),
      poweredOn: z.boolean().optional(),
      provisioning: z.object({ state: z.string() }).optional(),
    })
    .optional(),
});

/** The fields of a BareMetalHost that are kept. */
interface SeenHost extends ObjectIdentity {
  readonly status: z.infer<typeof host>['status'];
}

function keepHost(object: unknown): SeenHost {
  const { metadata, status } = host.parse(object);
  return { ...metadata, status };
}

/** The time at which a host reached a state (milliseconds since the epoch). */
export interface Arrival {
  readonly host: string;
  readonly state: string;
  readonly at: number;
}

/** The state of a host that does not exist (any more). */
export const GONE = 'gone';

export interface HostWatch {
  /**
   * Resolves when every host is in the state, with the time at which the last one reached it; rejects when one shows an
   * error.
   */
  all(hosts: readonly string[], state: string): Promise<number>;
  /** Resolves when every host shows this power state. */
  powered(hosts: readonly string[], on: boolean): Promise<void>;
  /** All state changes so far, in order. */
  readonly arrivals: readonly Arrival[];
  stop(): Promise<void>;
}

/** Watches the hosts of a kubeconfig's API server while `use` runs. */
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

/** Records when each host reaches each state, as any client that watches the API sees it. */
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

  const see = (name: string, status: SeenHost['status'], state: string): void => {
    power.set(name, status?.poweredOn === true);
    if (state !== GONE && status?.operationalStatus === 'error') {
      failure ??= new Error(`${name} failed in state ${state}: ${status.errorMessage}`);
    } else if (latest.get(name)?.state !== state) {
      const arrival = { host: name, state, at: Date.now() };
      latest.set(name, arrival);
      arrivals.push(arrival);
    }
    wake();
  };
  const hosts = createReflector({
    kube,
    path: hostCollection(NAMESPACE),
    keep: keepHost,
    onChange: (key, now) => {
      const { name } = nameOf(key);
      see(name, now?.status, now === undefined ? GONE : (now.status?.provisioning?.state ?? ''));
    },
    // A broken watch continues from its last version.
    onTrouble: () => undefined,
  });
  const following = hosts.run(stopping.signal);
  await hosts.synced;

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
