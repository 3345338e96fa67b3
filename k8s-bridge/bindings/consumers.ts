import type { ObjectReference } from '../../api/meta/references.ts';
import { groupOf } from '../../domain/cluster-api/names.ts';
import { ownConsumer } from '../../domain/host/own-consumer.ts';
import { type FollowedKind, KINDS, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../kube/store.ts';

/** A machine that has hosts. */
interface ConsumingMachine {
  readonly kind: FollowedKind;
  readonly namespace: string;
  readonly name: string;
}

/** The Metal3Machine, or the Machine of the Machine API, that is the consumer of a host of its namespace. */
export function consumingMachine({ object, namespace }: Entry): ConsumingMachine | undefined {
  const consumer = ownConsumer(namespace, readHostFacts(object).consumer);
  const kind = consumer && kindOfConsumer(consumer);
  return kind === undefined || consumer?.name === undefined ? undefined : { kind, namespace, name: consumer.name };
}

/** In any API version. Machines of Cluster API are no consumers. */
function kindOfConsumer({ kind, apiVersion }: ObjectReference): FollowedKind | undefined {
  if (kind === KINDS.metal3Machine.kind) return KINDS.metal3Machine;
  return MACHINE_API_MACHINES.find((of) => of.apiKind === kind && groupOf(of.apiVersion) === groupOf(apiVersion));
}

/** The hosts whose consumer is this machine. */
export const hostsConsumedBy = (machine: ConsumingMachine, stores: Pick<Stores, 'having'>): Iterable<Entry> =>
  stores.having(hostsByConsumer, consumerKey(machine));

const consumerKey = (machine: ConsumingMachine): string => `${machine.kind.kind}:${keyOf(machine)}`;

const hostsByConsumer: Index = {
  kind: KINDS.host,
  *keysOf(host) {
    const machine = consumingMachine(host);
    if (machine !== undefined) yield consumerKey(machine);
  },
};
