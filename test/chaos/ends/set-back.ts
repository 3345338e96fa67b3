import type { Happening, Told } from '../happenings.ts';

/**
 * The servers of the fixture are stored in etcd: a request to one of them is undone when etcd is restored to an earlier
 * time, unlike with a real server. Its host knows the request as done, and nobody asks for it again.
 */
export interface SetBack {
  take(happening: Happening): void;
  /** The last request to the server that was undone; undefined when the server is as it was told. */
  undone(server: string): Told['request'] | undefined;
}

export function createSetBack(): SetBack {
  const last = new Map<string, { readonly request: Told['request']; readonly at: number }>();
  const undone = new Map<string, Told['request']>();
  return {
    take(happening) {
      if (happening.kind === 'told') {
        const { server, request } = happening.told;
        undone.delete(server);
        last.set(server, { request, at: happening.at });
      }
      if (happening.kind !== 'journal' || happening.entry.kind !== 'etcd restored') return;
      const { from } = happening.entry;
      for (const [server, { request, at }] of last) if (at > from) undone.set(server, request);
    },
    undone: (server) => undone.get(server),
  };
}
