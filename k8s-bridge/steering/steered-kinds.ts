import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { isMovedAway, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { KnownOfHost, SteeredHost } from '../../domain/host/steering/refusal.ts';
import { steerableHost } from '../../domain/host/steering/steerable.ts';
import type { KnownOfMachine, SteeredMachine } from '../../domain/machine/steering/refusal.ts';
import { steerableMachine } from '../../domain/machine/steering/steerable.ts';
import type { Steerable } from '../../domain/steering/steerable.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { type Metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { readSteeredHost } from '../../kube/objects/steered-host.ts';
import { type Binding, CLUSTER_API_EVENTS } from '../binding.ts';

/** A kind whose objects people steer. */
export interface SteeredKind<Facts extends { readonly annotations: Metadata['annotations'] }, Known>
  extends Pick<Binding, 'reporterOf'> {
  readonly followed: FollowedKind;
  readonly steerable: Steerable<Facts>;
  /**
   * Reads the facts by which a message is accepted or refused, from the object and from what its run knows in addition.
   */
  readonly read: (object: unknown, known: Known) => Facts;
  /** The facts that the object alone shows, by which its annotations are judged; absent: they are not judged. */
  readonly readShown?: (object: unknown) => Facts;
  /** Nothing is added to the list on an object that is paused, or that clusterctl has moved to another cluster. */
  readonly isLeftAlone: (metadata: Metadata) => boolean;
}

export const STEERED_HOST: SteeredKind<SteeredHost, KnownOfHost> = {
  followed: KINDS.host,
  // These Events come from no run, so their reporter is that of the host's other Events.
  reporterOf: () => ({ component: 'metal3-baremetal-controller', controller: 'metal3.io/baremetal-controller' }),
  steerable: steerableHost,
  read: (object, known) => ({ ...readSteeredHost(object), ...known }),
  readShown: readSteeredHost,
  isLeftAlone: (metadata) => metadata.annotations[ANNOTATIONS.paused] !== undefined || isMovedAway(metadata),
};

export const STEERED_MACHINE: SteeredKind<SteeredMachine, KnownOfMachine> = {
  followed: KINDS.metal3Machine,
  ...CLUSTER_API_EVENTS,
  steerable: steerableMachine,
  read(object, known) {
    const { name, annotations, deletionTimestamp } = readMetadata(object);
    return { name, annotations, deletionTimestamp, ...known };
  },
  isLeftAlone: isPausedByAnnotation,
};
