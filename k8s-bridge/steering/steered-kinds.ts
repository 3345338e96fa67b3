import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { isMovedAway, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { KnownOfHost, SteeredHost } from '../../domain/host/steering/refusal.ts';
import { steerableHost } from '../../domain/host/steering/steerable.ts';
import type { KnownOfAnyMachine } from '../../domain/machine/steering/any-machine.ts';
import type { KnownOfMachine, SteeredMachine } from '../../domain/machine/steering/refusal.ts';
import { steerableMachine } from '../../domain/machine/steering/steerable.ts';
import { isLeftAlone } from '../../domain/machine-api/authority.ts';
import { type SteeredMachineApi, steerableMachineApi } from '../../domain/machine-api/steering.ts';
import type { Steerable } from '../../domain/steering/steerable.ts';
import { type FollowedKind, KINDS, type MachineApiKind } from '../../kube/kinds.ts';
import { readMachineApi } from '../../kube/objects/machine-api.ts';
import { type Metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { readSteeredHost } from '../../kube/objects/steered-host.ts';
import { type Binding, CLUSTER_API_EVENTS, MACHINE_API_EVENTS } from '../binding.ts';
import { authorityIn } from '../bindings/machine-api/machine.ts';

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
  /**
   * Nothing is added to the list on an object that is paused, that clusterctl has moved to another cluster, or whose
   * controller is that of another API.
   */
  readonly isLeftAlone: (object: unknown) => boolean;
}

export const STEERED_HOST: SteeredKind<SteeredHost, KnownOfHost> = {
  followed: KINDS.host,
  // These Events come from no run, so their reporter is that of the host's other Events.
  reporterOf: () => ({ component: 'metal3-baremetal-controller', controller: 'metal3.io/baremetal-controller' }),
  steerable: steerableHost,
  read: (object, { state, hasError, awaits }) => ({ ...readSteeredHost(object), state, hasError, awaits }),
  readShown: readSteeredHost,
  isLeftAlone(object) {
    const metadata = readMetadata(object);
    return metadata.annotations[ANNOTATIONS.paused] !== undefined || isMovedAway(metadata);
  },
};

export const STEERED_MACHINE: SteeredKind<SteeredMachine, KnownOfMachine> = {
  followed: KINDS.metal3Machine,
  ...CLUSTER_API_EVENTS,
  steerable: steerableMachine,
  read(object, known) {
    const { name, annotations, deletionTimestamp } = readMetadata(object);
    return { ...known, name, annotations, deletionTimestamp };
  },
  isLeftAlone: (object) => isPausedByAnnotation(readMetadata(object)),
};

export const steeredMachineApi = (followed: MachineApiKind): SteeredKind<SteeredMachineApi, KnownOfAnyMachine> => ({
  followed,
  ...MACHINE_API_EVENTS,
  steerable: steerableMachineApi,
  read(object, known) {
    const read = readMachineApi(object);
    return { ...known, annotations: read.metadata.annotations, authority: authorityIn(followed, read) };
  },
  isLeftAlone: (object) => isLeftAlone(authorityIn(followed, readMachineApi(object))),
});
