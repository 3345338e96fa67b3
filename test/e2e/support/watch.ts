import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { hostCollection } from '../../../kube/paths.ts';
import { followVersions, type Version } from './follow-versions.ts';
import { NAMESPACE } from './place/namespace.ts';

/** What a client saw of a host between two changes. */
export interface Sight {
  readonly state: string;
  readonly operationalStatus: string;
  readonly errorType: string;
  readonly poweredOn: boolean;
  /** By our own clock, when the API server reported it; ms. */
  readonly from: number;
  /** undefined: it has not changed since. */
  readonly until: number | undefined;
}

const host = z.looseObject({
  metadata: z.looseObject({ name: z.string(), uid: z.string() }),
  status: z
    .looseObject({
      operationalStatus: z.string().default(''),
      errorType: z.string().default(''),
      poweredOn: z.boolean().default(false),
      provisioning: z.looseObject({ state: z.string().default(''), ID: z.string().default('') }).prefault({}),
    })
    .prefault({}),
});

export interface HostSights {
  /** Waits until the host looks like this, now or at some time since `since`; the error shows what was seen. */
  seen(name: string, since: number, holds: (sight: Sight) => boolean, patienceMs?: number): Promise<Sight>;
  /** All that was seen of a host. */
  of(name: string): readonly Sight[];
  /** The names of all hosts that were seen, by uid. */
  readonly hosts: ReadonlyMap<string, string>;
  /** The nodes that these hosts have had, by the id that Ironic or the fixture gave them. */
  readonly nodes: ReadonlySet<string>;
  close(): void;
}

/** Watches the hosts of the file, like a user's controller, and records every version of each. */
export function watchSights(kube: Kube): HostSights {
  const ending = new AbortController();
  const sights = new Map<string, Sight[]>();
  const hosts = new Map<string, string>();
  const nodes = new Set<string>();
  const waiting = new Set<() => void>();
  let failure: unknown;

  const take = ({ type, object }: Version, now: number): void => {
    const { metadata, status } = host.parse(object);
    hosts.set(metadata.uid, metadata.name);
    if (status.provisioning.ID !== '') nodes.add(status.provisioning.ID);
    const all = sights.get(metadata.name) ?? [];
    sights.set(metadata.name, all);
    const last = all.at(-1);
    if (last !== undefined) all[all.length - 1] = { ...last, until: last.until ?? now };
    if (type === 'DELETED') return;
    const { operationalStatus, errorType, poweredOn, provisioning } = status;
    all.push({ state: provisioning.state, operationalStatus, errorType, poweredOn, from: now, until: undefined });
  };

  const onVersion = (version: Version): void => {
    take(version, Date.now());
    for (const look of waiting) look();
  };
  const onFailure = (error: unknown): void => {
    failure = error;
  };
  void followVersions(kube, { path: hostCollection(NAMESPACE) }, onVersion, ending.signal, onFailure);

  const of = (name: string): readonly Sight[] => sights.get(name) ?? [];
  return {
    of,
    hosts,
    nodes,
    seen: (name, since, holds, patienceMs = 120_000) =>
      new Promise((resolve, reject) => {
        const end = (): void => {
          waiting.delete(look);
          clearTimeout(deadline);
        };
        const look = (): void => {
          const found = of(name).find((sight) => (sight.until ?? Number.POSITIVE_INFINITY) > since && holds(sight));
          if (found === undefined) return;
          end();
          resolve(found);
        };
        const deadline = setTimeout(() => {
          end();
          const message = `${name} never looked so: ${JSON.stringify(of(name).filter(({ from }) => from >= since))}`;
          reject(new Error(message, { cause: failure }));
        }, patienceMs);
        waiting.add(look);
        look();
      }),
    close: () => ending.abort(),
  };
}

/** Runs an action on a host that is on, and waits until it was seen off, however briefly. */
export async function seenOff(kube: Kube, name: string, act: () => Promise<unknown>): Promise<void> {
  const sights = watchSights(kube);
  try {
    await sights.seen(name, 0, ({ poweredOn }) => poweredOn);
    const since = Date.now();
    await act();
    await sights.seen(name, since, ({ poweredOn }) => !poweredOn, 240_000);
  } finally {
    sights.close();
  }
}
