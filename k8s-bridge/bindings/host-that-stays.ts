import { type Claimant, isConsumer } from '../../domain/machine/choose-host/host-facts.ts';
import type { Kube } from '../../kube/client.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { hostPath } from '../../kube/paths.ts';
import type { Stores } from '../../kube/store.ts';
import { hostsConsumedBy } from './consumers.ts';

interface Leaving {
  readonly kind: FollowedKind;
  /** Names of hosts that the object or its view names; '' for none. */
  readonly named: readonly string[];
  readonly stores: Pick<Stores, 'having'>;
  readonly kube: Kube;
}

/**
 * Why a machine may not go yet: a host has it as consumer, because a release was lost when etcd was restored, or because
 * its workflow does not know of a claim. The API server is asked about each host that is named, or that the cache shows.
 */
export async function hostThatStays(
  machine: Claimant,
  { kind, named, stores, kube }: Leaving,
): Promise<string | undefined> {
  const { namespace, name } = machine;
  const consumed = [...hostsConsumedBy({ kind, namespace, name }, stores)];
  for (const host of new Set([...named, ...consumed.map((entry) => entry.name)])) {
    const found = host === '' ? undefined : await kube.find(hostPath({ namespace, name: host }));
    if (found !== undefined && isConsumer(readHostFacts(found).consumer, machine))
      return `host ${host} still belongs to it`;
  }
  return undefined;
}
