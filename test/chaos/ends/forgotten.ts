import type { Happening } from '../happenings.ts';

/**
 * Hosts that were created after the copy of etcd that was restored: no object knows them any more, so nobody asks to
 * take their nodes out of Ironic.
 */
export interface Forgotten {
  take(happening: Happening): void;
  /** Whether the last host of this name is one of them. */
  has(host: string): boolean;
}

export function createForgotten(): Forgotten {
  /** When the last host of each name was created, and its uid. */
  const last = new Map<string, { readonly uid: string; readonly at: number }>();
  const forgotten = new Set<string>();
  return {
    take(happening) {
      if (happening.kind === 'stored' && happening.stored.resource === 'baremetalhosts') {
        const { name, uid } = happening.stored.object.metadata;
        if (last.get(name)?.uid === uid) return;
        last.set(name, { uid, at: happening.at });
        forgotten.delete(name);
      }
      if (happening.kind !== 'journal' || happening.entry.kind !== 'etcd restored') return;
      const { from } = happening.entry;
      for (const [name, { at }] of last) if (at > from) forgotten.add(name);
    },
    has: (host) => forgotten.has(host),
  };
}
