import type { Stored } from '../audit.ts';
import { clock, type Invariant } from './invariant.ts';

/** Between two machines, a host has no consumer; and a machine has one host at most. */
export function claimedOnce(): Invariant {
  const consumers = new Map<string, string>();
  const versions = new Map<string, number>();

  const isOutdated = ({ metadata }: Stored['object']): boolean => {
    const version = Number(metadata.resourceVersion);
    if (version <= (versions.get(metadata.uid) ?? 0)) return true;
    versions.set(metadata.uid, version);
    return false;
  };
  return {
    name: 'no host is claimed twice',
    take(happening) {
      if (happening.kind === 'journal') {
        const { entry } = happening;
        // A release may be in no record of an API server that ended.
        const isMissed = entry.kind === 'gap' && entry.of !== 'ironic';
        if (isMissed || entry.kind === 'etcd restored') consumers.clear();
        if (entry.kind === 'etcd restored') versions.clear();
        return [];
      }
      if (happening.kind !== 'stored' || happening.stored.resource !== 'baremetalhosts') return [];
      const { object } = happening.stored;
      const host = object.metadata.name;
      if (isOutdated(object)) return [];
      const isGone = object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers.length === 0;
      const before = consumers.get(host);
      const now = isGone ? undefined : object.spec?.consumerRef?.name;
      if (now === before) return [];
      if (now === undefined) {
        consumers.delete(host);
        return [];
      }
      const others = [...consumers].filter(([other, machine]) => other !== host && machine === now);
      consumers.set(host, now);
      const when = clock(happening.at);
      return [
        ...(before === undefined ? [] : [`${host} went from ${before} to ${now} at ${when}`]),
        ...others.map(([other]) => `${now} got ${host} at ${when} and has ${other}`),
      ];
    },
  };
}
