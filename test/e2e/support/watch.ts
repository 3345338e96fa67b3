import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { kindPath } from '../../../kube/paths.ts';
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

const event = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
  object: z.looseObject({
    metadata: z.looseObject({ name: z.string() }),
    status: z
      .looseObject({
        operationalStatus: z.string().default(''),
        errorType: z.string().default(''),
        poweredOn: z.boolean().default(false),
        provisioning: z.looseObject({ state: z.string().default('') }).prefault({}),
      })
      .prefault({}),
  }),
});

export interface HostSights {
  /** Waits until the host looks like this, now or at some time since `since`; the error shows what was seen. */
  seen(name: string, since: number, holds: (sight: Sight) => boolean, patienceMs?: number): Promise<Sight>;
  /** All that was seen of a host. */
  of(name: string): readonly Sight[];
  close(): void;
}

/** Watches the hosts of the file, like a user's controller, and records every version of each. */
export function watchSights(kube: Kube): HostSights {
  const ending = new AbortController();
  const sights = new Map<string, Sight[]>();
  const waiting = new Set<() => void>();
  let failure: unknown;

  const take = (line: string, now: number): void => {
    const { type, object } = event.parse(JSON.parse(line));
    const all = sights.get(object.metadata.name) ?? [];
    sights.set(object.metadata.name, all);
    const last = all.at(-1);
    if (last !== undefined) all[all.length - 1] = { ...last, until: last.until ?? now };
    if (type === 'DELETED') return;
    const { operationalStatus, errorType, poweredOn, provisioning } = object.status;
    all.push({ state: provisioning.state, operationalStatus, errorType, poweredOn, from: now, until: undefined });
  };

  const follow = async (): Promise<void> => {
    const path = kindPath('baremetalhosts', NAMESPACE);
    for await (const line of kube.lines({ path, query: { watch: true }, signal: ending.signal })) {
      take(line, Date.now());
      for (const look of waiting) look();
    }
  };
  void follow().catch((error: unknown) => {
    failure = error;
  });

  const of = (name: string): readonly Sight[] => sights.get(name) ?? [];
  return {
    of,
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
