import { z } from 'zod';
import { maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { metal3MachineSpec } from '../../api/metal3machine/schema.ts';
import { defined } from '../../domain/defined.ts';
import type { Claimant } from '../../domain/machine/choose-host/host-facts.ts';
import type { HostChange } from '../../domain/machine/memory/step.ts';
import { MACHINE_ANNOTATIONS } from '../../domain/machine/names.ts';
import { isLeftAlone, whyLeftAlone } from '../../domain/machine-api/authority.ts';
import { hostWish, isInvalid } from '../../domain/machine-api/provider-spec.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readMachineApi } from '../../kube/objects/machine-api.ts';
import { readMetal3Machine } from '../../kube/objects/metal3machine.ts';
import { machineAbove } from '../called-machine.ts';
import { type HostSearch, type Reads, searchOf, searchOfMetal3Machine } from '../choice-of-host.ts';

/** The desired state of a machine, of any kind that can have a host. */
export interface WishedMachine {
  readonly claimant: Claimant;
  /** Name of the host that it has. */
  readonly host: string | undefined;
  /** The machine's changes to its host, without data: the Secrets do not change the steps. */
  readonly change: HostChange;
  /** What decides which of the hosts of its namespace it gets. */
  readonly search: (reading: Reads, hosts: readonly unknown[]) => Promise<HostSearch>;
}

/** The kinds that `temper plan` takes for machines. */
export const MACHINE_KINDS: readonly FollowedKind[] = [
  KINDS.metal3Machine,
  KINDS.openShiftMachine,
  KINDS.clusterMachine,
];

/** A text: why the machine gets no host before somebody changes it. */
export const wishOf = (kind: FollowedKind, object: unknown): WishedMachine | string =>
  kind === KINDS.metal3Machine ? wishOfMetal3Machine(object) : wishOfMachineApi(kind.apiVersion, object);

const { image, customDeploy } = metal3MachineSpec.shape;
const metal3Machine = z.object({
  spec: orEmpty({
    image: image.catch(undefined),
    customDeploy: customDeploy.catch(undefined),
    automatedCleaningMode: maybeText,
  }),
});

function wishOfMetal3Machine(object: unknown): WishedMachine {
  const { metadata, host } = readMetal3Machine(object);
  return {
    claimant: { namespace: metadata.namespace, name: metadata.name },
    host,
    change: defined(metal3Machine.parse(object).spec),
    search: async (reading, hosts) =>
      searchOfMetal3Machine(reading, object, await machineAbove(reading, object), hosts),
  };
}

/** The default image and user data of bridge and workers are not known here. */
function wishOfMachineApi(api: string, object: unknown): WishedMachine | string {
  const { metadata, value, authority } = readMachineApi(object);
  if (isLeftAlone(authority)) return whyLeftAlone(authority);
  const { namespace, name, annotations } = metadata;
  const wish = hostWish(value, { namespace }, {});
  if (isInvalid(wish)) return wish.invalid;
  const claimant = { namespace, name, api };
  return {
    claimant,
    host: annotations[MACHINE_ANNOTATIONS.host]?.split('/').at(-1),
    change: defined({ image: wish.image, customDeploy: wish.customDeploy }),
    search: (reading, hosts) =>
      searchOf(reading, { machine: claimant, ...defined({ hostSelector: wish.hostSelector }) }, hosts),
  };
}
