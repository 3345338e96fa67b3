import { urlDigest } from '../../../lab/proxy/told.ts';
import type { Wish } from '../journal.ts';
import { createLine } from '../line.ts';
import { finishedIn } from './finished.ts';
import { clock, type Invariant } from './invariant.ts';

/** From when on a wish may be in the API server, and when it was surely there. */
interface Asked {
  readonly wish: Wish;
  readonly at: number;
  answered: number | undefined;
}

interface Deployed {
  readonly at: number;
  readonly host: string;
  readonly image: string;
  isFinished: boolean;
}

/**
 * A deployed image is only erased when somebody wants another image, none, or the host or its machine to go. What is on
 * the server of an externally provisioned host is never erased, nor is anything deployed over it.
 */
export function erasedAsWished(): Invariant {
  const line = createLine();
  const asked: Asked[] = [];
  const deployed = new Map<string, Deployed>();
  /** When the erasure of what is deployed on a server was begun. */
  const begun = new Map<string, number>();

  const isKnown = (one: Asked): boolean => line.knows(one.at) || one.answered === undefined || line.knows(one.answered);
  const isUnwished = (image: string): boolean => {
    const first = asked.findIndex(({ wish }) => imageOf(wish) === image);
    const wished = asked[first]?.wish;
    return wished !== undefined && asked.slice(first + 1).some((one) => isKnown(one) && replaces(one.wish, wished));
  };

  const isExternal = (host: string): boolean => {
    const known = asked.findLast((one) => isKnown(one) && saysExternal(one.wish, host) !== undefined);
    return known !== undefined && saysExternal(known.wish, host) === true;
  };

  return {
    name: 'nothing is erased that somebody wants',
    take(happening) {
      const { at } = happening;
      if (happening.kind === 'journal') {
        const { entry } = happening;
        if (entry.kind === 'wish') asked.push({ wish: entry.wish, at, answered: undefined });
        if (entry.kind === 'answer') for (const one of asked) if (one.wish === entry.wish) one.answered = at;
        if (entry.kind === 'etcd restored') line.restored(entry.from, at);
        // A deployment that was not done, and that Ironic has forgotten, begins anew, maybe with a cleaning.
        if (entry.kind === 'ironic put back') {
          for (const [server, one] of deployed) if (!one.isFinished && one.at > entry.from) deployed.delete(server);
        }
        return [];
      }
      const finished = finishedIn(happening);
      for (const one of deployed.values()) {
        if (one.host === finished?.host && one.image === finished.image) one.isFinished = true;
      }
      if (happening.kind !== 'told') return [];
      const { request, server, host, image } = happening.told;
      // A deployment also erases the former content.
      if (isExternal(host))
        return [`${server} was told at ${clock(at)} to ${request}, and ${host} is externally provisioned`];
      if (request === 'deploy') {
        if (image !== undefined) deployed.set(server, { at, host, image, isFinished: false });
        begun.delete(server);
        const isWished = asked.some(({ wish }) => imageOf(wish) === image);
        return isWished ? [] : [`${server} was told at ${clock(at)} to deploy ${image}, which nobody wanted`];
      }
      const last = deployed.get(server);
      // Restored servers of the fixture have what was deployed on them before.
      if (last === undefined || !line.knows(last.at)) return [];
      if (isUnwished(last.image)) {
        begun.set(server, at);
        return [];
      }
      // What was begun must end, also when etcd was restored to the time before. A restored server of the fixture is
      // told again.
      const from = begun.get(server);
      begun.delete(server);
      if (from !== undefined && !line.knows(from)) return [];
      return [`${server} was told at ${clock(at)} to erase ${last.image}, deployed at ${clock(last.at)}`];
    },
  };
}

const imageOf = (wish: Wish): string | undefined =>
  'image' in wish && wish.image !== undefined ? urlDigest(wish.image) : undefined;

/**
 * undefined: the wish does not change whether the host is externally provisioned. Its deletion erases nothing either.
 */
function saysExternal(wish: Wish, host: string): boolean | undefined {
  if (!('spec' in wish) || wish.host !== host) return undefined;
  if (wish.name === 'change host' && !('externallyProvisioned' in wish.spec)) return undefined;
  return 'externallyProvisioned' in wish.spec && wish.spec.externallyProvisioned === true;
}

/** After `later` nobody wants the image of `earlier` any more. */
function replaces(later: Wish, earlier: Wish): boolean {
  switch (later.name) {
    case 'create host':
      return false;
    case 'change host':
      return 'host' in earlier && earlier.host === later.host && 'image' in later.spec;
    case 'delete host':
      return 'host' in earlier && earlier.host === later.host;
    case 'create machine':
      return false;
    case 'delete machine':
      return 'machine' in earlier && earlier.machine === later.machine;
  }
}
