import { createLine } from '../line.ts';
import { clock, type Invariant } from './invariant.ts';

/** Each wish has an image of its own, so no image is deployed twice. */
export function deployedOnce(): Invariant {
  const line = createLine();
  /** Times and servers of deployments, by image. */
  const deployments = new Map<string, { readonly at: number; readonly server: string }[]>();
  let ironicEnded = Number.NEGATIVE_INFINITY;
  return {
    name: 'no image is deployed twice for one wish',
    take(happening) {
      const { at } = happening;
      if (happening.kind === 'journal') {
        const { entry } = happening;
        if (entry.kind === 'etcd restored') line.restored(entry.from, at);
        // Ironic fails the deployments that it was working on, and they are tried again.
        if (entry.kind === 'gap' && entry.of === 'ironic') ironicEnded = at;
        return [];
      }
      if (happening.kind !== 'told' || happening.told.request !== 'deploy') return [];
      const { server, image = '' } = happening.told;
      const earlier = deployments.get(image) ?? [];
      deployments.set(image, [...earlier, { at, server }]);
      return earlier
        .filter((one) => line.knows(one.at) && one.at > ironicEnded)
        .map((one) => `${server} was told at ${clock(at)} to deploy ${image}, and ${one.server} at ${clock(one.at)}`);
    },
  };
}
