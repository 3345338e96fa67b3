import type { SecretUser } from '../../domain/host/registration/secret-marks.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readHost } from '../../kube/objects/baremetalhost.ts';
import { readPreprovisioningImage } from '../../kube/objects/preprovisioningimage.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../kube/store.ts';

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

const holding = ({ namespace, object }: Entry): readonly string[] =>
  heldBy({ object }).all.map((name) => keyOf({ namespace, name }));

/** Hosts by the Secrets that they hold. */
export const hostsHolding: Index = { kind: KINDS.host, keysOf: holding };

/** Hosts by the Secrets that are read for their deployments. */
const hostsReading: Index = {
  kind: KINDS.host,
  *keysOf({ namespace, object }) {
    const { spec, registrySecret } = readHost(object);
    const names = [spec.userData?.name, spec.metaData?.name, spec.networkData?.name, registrySecret];
    for (const name of names) if (name) yield keyOf({ namespace, name });
  },
};

const imagesHolding: Index = {
  kind: KINDS.preprovisioningImage,
  *keysOf({ namespace, object }) {
    const { networkDataName } = readPreprovisioningImage(object).spec;
    if (networkDataName) yield keyOf({ namespace, name: networkDataName });
  },
};

/** Everything that uses the Secret with this key. */
export function* usersOf(key: string, stores: Pick<Stores, 'having'>): Generator<SecretUser> {
  for (const index of [hostsHolding, imagesHolding])
    for (const { uid } of stores.having(index, key)) yield { uid, holds: true };
  for (const { uid } of stores.having(hostsReading, key)) yield { uid, holds: false };
}
