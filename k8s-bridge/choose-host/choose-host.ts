import { reuseLabel } from '../../activities/kubernetes/machine/node-reuse.ts';
import type { Candidate } from '../../domain/machine/choose-host/select-host.ts';
import type { Kube } from '../../kube/client.ts';
import { isSameKind, KINDS } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import type { Entry, Index, Store, Stores } from '../../kube/store.ts';
import { isAbandoned, mayClaim } from '../bindings/machine.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import { createHostChoice, type HostChoice } from './host-choice.ts';

interface ChooseHostDeps {
  readonly kube: Kube;
  readonly store: Pick<Store, keyof Stores | 'onChange' | 'isComplete'>;
  /** The Metal3Machines of this bridge (`--watch-filter`). */
  readonly machines: OwnObjects;
  /** Queues the Metal3Machine with this key. */
  readonly look: (key: string) => void;
}

const hostsByNamespace: Index = { kind: KINDS.host, keysOf: ({ namespace }) => [namespace] };
const hostsByUid: Index = { kind: KINDS.host, keysOf: ({ uid }) => [uid] };

/** Connects the host choice to the cache of hosts, machines and Clusters. */
export function createChooseHost({ kube, store, machines, look }: ChooseHostDeps): HostChoice {
  const candidateOf = (entry: Entry): Candidate => {
    const host = readHostFacts(entry.object);
    return isAbandoned(host, store) ? { ...host, abandoned: true } : host;
  };
  const choice = createHostChoice({
    hostsIn: (namespace) => [...store.having(hostsByNamespace, namespace)].map(candidateOf),
    hostOf: (uid) => [...store.having(hostsByUid, uid)].map(candidateOf)[0],
    isReady: () => store.isComplete,
    reuseLabel: (place) => reuseLabel(kube, place),
    tell: look,
    isThere: (key) => machines.get(key) !== undefined,
    isActive(key) {
      const machine = machines.get(key);
      return machine !== undefined && mayClaim(machine, store);
    },
    dice: Math.random,
  });
  store.onChange(({ kind, key, now, before }) => {
    if (!store.isComplete) return;
    if (isSameKind(kind, KINDS.metal3Machine) && now === undefined) choice.machineGone(key);
    if (isSameKind(kind, KINDS.host))
      choice.hostChanged(now && candidateOf(now), before && readHostFacts(before.object));
    if (!isSameKind(kind, KINDS.cluster)) return;
    // Hosts that are reserved for machines of this Cluster become free for others when it is deleted.
    const cluster = now ?? before;
    if (cluster === undefined || (now !== undefined && !readCluster(now.object).deleting)) return;
    for (const host of [...store.having(hostsByNamespace, cluster.namespace)].map(candidateOf)) {
      if (host.abandoned === true) choice.hostChanged(host, host);
    }
  });
  return choice;
}
