import type { SecretUser } from '../../domain/host/registration/secret-marks.ts';
import { byName } from '../../kube/by-name.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { imagesBySecret } from '../../kube/objects/preprovisioningimage.ts';
import type { Entry, Stores } from '../../kube/store.ts';

interface Held {
  /** Names of the Secrets. */
  readonly all: readonly string[];
  /** Those of them of which only our marks say that they are in use. */
  readonly begun: readonly string[];
}

/**
 * The Secrets that a host holds: those of its BMC and of its deploy agent, which it marks when it is registered, and the
 * last one that worked for its BMC: Ironic has that until another one works.
 */
export function heldBy({ object }: Pick<Entry, 'object'>): Held {
  const { spec, agentNetworkData, goodSecret } = readHost(object);
  const { credentialsName } = spec;
  const isIn = (name: string): boolean => name !== '';
  return {
    all: [credentialsName, agentNetworkData, credentialsName === '' ? '' : goodSecret].filter(isIn),
    begun: [credentialsName === goodSecret ? '' : credentialsName, agentNetworkData].filter(isIn),
  };
}

/** Hosts by the Secrets that they hold. */
export const hostsHolding = byName(KINDS.host, (host) => heldBy(host).all);

/** Hosts by the Secrets that are read for their deployments. */
const hostsReading = byName(KINDS.host, ({ object }) => {
  const { spec, registrySecret } = readHost(object);
  const names = [spec.userData?.name, spec.metaData?.name, spec.networkData?.name, registrySecret];
  return names.filter((name) => name !== '');
});

/** Everything that uses the Secret with this key. */
export function* usersOf(key: string, stores: Pick<Stores, 'having'>): Generator<SecretUser> {
  for (const index of [hostsHolding, imagesBySecret])
    for (const { uid } of stores.having(index, key)) yield { uid, holds: true };
  for (const { uid } of stores.having(hostsReading, key)) yield { uid, holds: false };
}
