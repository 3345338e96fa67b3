import { createLine } from '../line.ts';
import { clock, type Invariant } from './invariant.ts';

/**
 * Each wish has an image of its own, so no image is deployed twice. A server that got a request in the time that a
 * restore of etcd undid may have another image than its object, so the object's image is deployed again.
 */
export function deployedOnce(): Invariant {
  const line = createLine();
  /** When each server last got a request. */
  const lastTold = new Map<string, number>();
  /** When each server last got a request that the objects no longer know. */
  const lostTold = new Map<string, number>();
  /** Times and servers of deployments, by image. */
  const deployments = new Map<string, { readonly at: number; readonly server: string }[]>();
  let ironicEnded = Number.NEGATIVE_INFINITY;
  return {
    name: 'no image is deployed twice for one wish',
    take(happening) {
      const { at } = happening;
      if (happening.kind === 'journal') {
        const { entry } = happening;
        if (entry.kind === 'etcd restored') {
          line.restored(entry.from, at);
          for (const [server, told] of lastTold) if (told > entry.from) lostTold.set(server, told);
        }
        // Ironic fails the deployments that it was working on, and they are tried again.
        if (entry.kind === 'gap' && entry.of === 'ironic') ironicEnded = at;
        return [];
      }
      if (happening.kind !== 'told') return [];
      const { server, request, image = '' } = happening.told;
      lastTold.set(server, at);
      if (request !== 'deploy') return [];
      const earlier = deployments.get(image) ?? [];
      deployments.set(image, [...earlier, { at, server }]);
      return earlier
        .filter((one) => line.knows(one.at) && one.at > ironicEnded)
        .filter((one) => one.server !== server || one.at > (lostTold.get(server) ?? Number.NEGATIVE_INFINITY))
        .map((one) => `${server} was told at ${clock(at)} to deploy ${image}, and ${one.server} at ${clock(one.at)}`);
    },
  };
}
