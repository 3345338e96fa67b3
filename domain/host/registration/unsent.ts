import { isBusy } from '../../ironic/node/node.ts';
import { changedSettings } from '../../ironic/node-settings.ts';
import { nodeOrder, registeredSettings } from '../desired/wishes.ts';
import { type HostMemory, isDeleting, type Registration } from '../memory/memory.ts';
import { isImageUntold } from './agent-image.ts';

/** What a registered host asks for and Ironic was not told; the next registration sends it. */
export interface Unsent {
  /** A field of the spec, or what it names, in words. */
  readonly what: string;
  /** The host no longer asks for it, and Ironic keeps what it has. */
  readonly isKept?: true;
}

/** Everything that Ironic was not told since this registration; empty when the host needs no other one. */
export function unsent(memory: HostMemory, registration: Registration): readonly Unsent[] {
  const changed = changedSettings(registration.settings, registeredSettings(memory));
  const isChanged = (one: keyof Registration['settings']): boolean => changed.some(({ name }) => name === one);
  const { bmcSecret, preprovisioningNetworkData: network, spec } = memory.seen;
  return [
    ...changed.map(({ field, isKept }) => ({ what: field, ...(isKept && { isKept: true as const }) })),
    ...(!isChanged('credentialsName') && areCredentialsUnsent(memory, registration)
      ? [{ what: `the credentials in Secret ${bmcSecret?.name ?? ''}` }]
      : []),
    ...(isImageUntold(memory) ? [{ what: "the deploy agent's image" }] : []),
    ...(isArchitectureUnsent(memory, registration)
      ? [{ what: spec.architecture === undefined ? 'the architecture of the hardware' : 'spec.architecture' }]
      : []),
    ...(!isChanged('preprovisioningNetworkDataName') && isNetworkUnsent(memory, registration)
      ? [{ what: `the network data in Secret ${network?.name ?? ''}` }]
      : []),
  ];
}

function areCredentialsUnsent({ seen }: HostMemory, { credentialsSeen, credentialsUsed }: Registration): boolean {
  const version = seen.bmcSecret?.resourceVersion ?? null;
  return version !== credentialsSeen && version !== credentialsUsed;
}

/** Ironic is busy with the node. The update is retried once the node is idle. */
const canBeTold = (memory: HostMemory): boolean =>
  !isDeleting(memory) && (memory.node === null || !isBusy(memory.node.state));

/** Ironic has another architecture than the spec or the hardware. */
function isArchitectureUnsent(memory: HostMemory, { architecture: known }: Registration): boolean {
  if (known === undefined || !canBeTold(memory)) return false;
  const wanted = nodeOrder(memory).architecture ?? '';
  return wanted === '' ? known.desired !== '' : wanted !== known.observed;
}

/**
 * The network Secret of the deploy agent differs from the Secret that Ironic has; a built image contains its network
 * configuration.
 */
function isNetworkUnsent(memory: HostMemory, { network: known }: Registration): boolean {
  const { preprovisioningNetworkData: network, settings } = memory.seen;
  if (network === undefined || settings.buildsPreprovisioningImages || !canBeTold(memory)) return false;
  const { resourceVersion: version } = network;
  return version !== known?.seen && version !== known?.used;
}
