import type { Happening } from '../happenings.ts';

/**
 * The servers of the fixture are in etcd: one that was erased gets its image back when etcd is restored to the time
 * before, as no real server does. Its host knows that it was erased, and nobody asked to erase it again.
 */
export interface GivenBack {
  take(happening: Happening): void;
  /** Whether the server has an image that was erased. */
  has(server: string): boolean;
}

export function createGivenBack(): GivenBack {
  /** When each server was erased, unless something was deployed to it since. */
  const erased = new Map<string, number>();
  const givenBack = new Set<string>();
  return {
    take(happening) {
      if (happening.kind === 'told') {
        const { server, request } = happening.told;
        givenBack.delete(server);
        if (request === 'erase') erased.set(server, happening.at);
        else erased.delete(server);
      }
      if (happening.kind !== 'journal' || happening.entry.kind !== 'etcd restored') return;
      const { from } = happening.entry;
      for (const [server, at] of erased) if (at > from) givenBack.add(server);
    },
    has: (server) => givenBack.has(server),
  };
}
