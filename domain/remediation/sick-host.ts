import { type Claimant, type HostObject, isConsumer } from '../machine/choose-host/host-facts.ts';
import { UNHEALTHY_ANNOTATIONS } from '../machine/names.ts';
import { isPowerOffKey } from './names.ts';

/** The fields of a BareMetalHost that its remediation needs. Plain JSON. */
export interface SickHost {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly state: string;
  readonly online: boolean;
  readonly poweredOn: boolean;
  /** '' when there is no error. */
  readonly errorMessage: string;
  readonly disablePowerOff: boolean;
  readonly deleting: boolean;
  /** The host's workflow does not change it: it is paused or detached. */
  readonly untouched: boolean;
  readonly unhealthy: boolean;
  /** Its consumer is the Metal3Machine, or the Machine of the Machine API. */
  readonly belongs: boolean;
  /** The annotations with which remediations keep it off. */
  readonly heldBy: readonly string[];
}

const UNTOUCHED = ['baremetalhost.metal3.io/paused', 'baremetalhost.metal3.io/detached'];

export function sickHost({ metadata, spec, status }: HostObject, machine: Claimant): SickHost {
  const { namespace, name, uid, resourceVersion, annotations } = metadata;
  const { state, poweredOn, errorMessage } = status;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    state,
    online: spec.online,
    poweredOn,
    errorMessage,
    disablePowerOff: spec.disablePowerOff,
    deleting: metadata.deletionTimestamp !== undefined,
    untouched: UNTOUCHED.some((key) => key in annotations),
    unhealthy: UNHEALTHY_ANNOTATIONS.some((key) => key in annotations),
    belongs: isConsumer(spec.consumerRef, machine),
    heldBy: Object.keys(annotations).filter(isPowerOffKey).toSorted(),
  };
}
