import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { traitsOf } from '../states/table.ts';
import { isLeftAlone } from './authority.ts';
import { foreignHost, stateOf } from './host-order.ts';
import { type MachineApiMemory, ownsHost } from './memory.ts';
import { MACHINE_API_ANNOTATIONS } from './names.ts';
import { isInvalid } from './provider-spec.ts';

/** Further states with an instance, of the operator of 2019. */
const OF_2019: readonly string[] = ['registration error', 'power management error'];

const hasInstance = ({ state }: HostFacts): boolean => traitsOf(state).server.hasInstance || OF_2019.includes(state);

/** The host of the Machine, if something is deployed on it; undefined: nothing is, or nothing is any more. */
export function instanceOf(memory: MachineApiMemory): HostFacts | undefined {
  const { host } = memory.seen;
  return host !== undefined && ownsHost(memory) && hasInstance(host) ? host : undefined;
}

/** Why a Machine that had an instance has none any more; undefined: it has one, or never had. */
function lossOf(memory: MachineApiMemory): string | undefined {
  const { providerID, host, link } = memory.seen;
  if (providerID === '' || instanceOf(memory) !== undefined) return undefined;
  if (host === undefined) return `host ${link} does not exist any more`;
  if (!ownsHost(memory)) return foreignHost(host);
  return `host ${host.name} was deprovisioned (${stateOf(host)})`;
}

/** The host lost its consumer while its image ran, for example because etcd was restored. */
export const isOnlyReleased = (host: HostFacts): boolean =>
  host.consumer === undefined && !host.deleting && hasInstance(host);

/** What a person has to correct, as `status.errorReason` and `status.errorMessage`. */
export interface MachineApiError {
  readonly reason?: 'InvalidConfiguration';
  readonly message: string;
}

export function errorOf(memory: MachineApiMemory): MachineApiError | undefined {
  const { linkProblem, desired, host } = memory.seen;
  if (linkProblem !== undefined) return { reason: 'InvalidConfiguration', message: linkProblem };
  const loss = lossOf(memory);
  if (loss !== undefined) return { message: loss };
  if (!isInvalid(desired)) return undefined;
  // A Machine that runs already does not need a valid spec.
  const isDeployed = host !== undefined && ownsHost(memory) && (host.hasImage || host.hasCustomDeploy);
  return isDeployed || instanceOf(memory) !== undefined
    ? undefined
    : { reason: 'InvalidConfiguration', message: desired.invalid };
}

/** Why the Machine stands still until a person corrects something, and what; undefined: it goes on by itself. */
export function problemOf(memory: MachineApiMemory): string | undefined {
  const { seen, lastHost } = memory;
  const { host, deletionTimestamp, isAdopted, settings, linkProblem } = seen;
  const isWaiting = deletionTimestamp !== undefined || isLeftAlone(seen.authority);
  const isBeingTaken = (lastHost !== undefined && host === undefined) || (host !== undefined && isOnlyReleased(host));
  if (isWaiting || isBeingTaken || (!isAdopted && !settings.isController)) return undefined;
  if (linkProblem !== undefined) return `${linkProblem}; correct spec.providerID, or delete the Machine`;
  const loss = lossOf(memory);
  if (loss !== undefined) return `${loss}; delete the Machine`;
  const error = errorOf(memory);
  if (error !== undefined) return `${error.message}; correct spec.providerSpec, or delete the Machine`;
  if (host === undefined || ownsHost(memory) || (host.consumer === undefined && !host.deleting)) return undefined;
  return `${foreignHost(host)}; remove the annotation ${MACHINE_API_ANNOTATIONS.host}, or delete the Machine`;
}
