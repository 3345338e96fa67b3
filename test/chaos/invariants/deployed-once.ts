import { urlDigest } from '../../../lab/proxy/told.ts';
import { createLine } from '../line.ts';
import { finishedIn } from './finished.ts';
import { clock, type Invariant } from './invariant.ts';

interface Deployment {
  readonly at: number;
  readonly server: string;
  readonly host: string;
  isFinished: boolean;
}

/**
 * Each wish has an image of its own, so no image is deployed twice; an image that is put back is wished again. A server that got a request in the time that a
 * restore of etcd undid may have another image than its object, so the object's image is deployed again.
 */
export function deployedOnce(): Invariant {
  const line = createLine();
  /** When each server last got a request. */
  const lastTold = new Map<string, number>();
  /** When each server last got a request that the objects no longer know. */
  const lostTold = new Map<string, number>();
  /** Deployments by image. */
  const deployments = new Map<string, Deployment[]>();
  let ironicEnded = Number.NEGATIVE_INFINITY;
  return {
    name: 'no image is deployed twice for one wish',
    take(happening) {
      const { at } = happening;
      if (happening.kind === 'journal') {
        const { entry } = happening;
        if (entry.kind === 'wish' && 'image' in entry.wish && entry.wish.image !== undefined)
          deployments.delete(urlDigest(entry.wish.image));
        if (entry.kind === 'etcd restored') {
          line.restored(entry.from, at);
          for (const [server, told] of lastTold) if (told > entry.from) lostTold.set(server, told);
        }
        // Ironic fails the deployments that it was working on, or forgets them, and they are tried again. Those that
        // were done stay, also when a restored Ironic does not know them.
        if (entry.kind === 'gap' && entry.of === 'ironic') ironicEnded = at;
        return [];
      }
      const finished = finishedIn(happening);
      for (const one of deployments.get(finished?.image ?? '') ?? []) {
        if (one.host === finished?.host) one.isFinished = true;
      }
      if (happening.kind !== 'told') return [];
      const { server, host, request, image = '' } = happening.told;
      lastTold.set(server, at);
      if (request !== 'deploy') return [];
      const earlier = deployments.get(image) ?? [];
      deployments.set(image, [...earlier, { at, server, host, isFinished: false }]);
      return earlier
        .filter((one) => line.knows(one.at) && (one.isFinished || one.at > ironicEnded))
        .filter((one) => one.server !== server || one.at > (lostTold.get(server) ?? Number.NEGATIVE_INFINITY))
        .map((one) => `${server} was told at ${clock(at)} to deploy ${image}, and ${one.server} at ${clock(one.at)}`);
    },
  };
}
