import type { Kube } from '../../../kube/client.ts';
import { eventCollection, hardwareDataCollection, hostCollection, secretCollection } from '../../../kube/paths.ts';
import { type Version as AnyVersion, type Witness as AnyWitness, watchVersions } from '../watch-versions.ts';

export const KINDS = ['BareMetalHost', 'Secret', 'HardwareData', 'Event'] as const;
export type Kind = (typeof KINDS)[number];
export type Version = AnyVersion<Kind>;
export type Witness = AnyWitness<Kind>;

/** Watches every version of every object of a namespace, in the order of writes. */
export async function watchNamespace(
  kube: Kube,
  namespace: string,
): Promise<Witness & { readonly stop: () => Promise<void> }> {
  const watch = await watchVersions<Kind>({
    kube,
    paths: {
      BareMetalHost: hostCollection(namespace),
      HardwareData: hardwareDataCollection(namespace),
      Secret: secretCollection(namespace),
      Event: eventCollection(namespace),
    },
  });
  return { ...watch.of(namespace), stop: () => watch.stop() };
}
