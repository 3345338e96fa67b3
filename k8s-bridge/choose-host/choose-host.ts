import { reuseLabel } from '../../activities/kubernetes/machine/node-reuse.ts';
import { claimantKey } from '../../domain/machine/choose-host/host-facts.ts';
import type { Candidate } from '../../domain/machine/choose-host/select-host.ts';
import { byNamespace, byUid } from '../../kube/by-name.ts';
import type { Kube } from '../../kube/client.ts';
import { isSameKind, KINDS } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { isAbandoned, readCluster } from '../../kube/objects/cluster.ts';
import { keyOf, nameOf } from '../../kube/reflector.ts';
import type { Entry, Store, Stores } from '../../kube/store.ts';
import type { Choosing } from '../bindings/choosing.ts';
import { createHostChoice, type HostChoice } from './host-choice.ts';

const METAL3_MACHINES = KINDS.metal3Machine.apiVersion;

interface ChooseHostDeps {
  readonly kube: Kube;
  readonly store: Pick<Store, keyof Stores | 'onChange' | 'isComplete'>;
  /** The kinds whose objects choose hosts. */
  readonly choosing: readonly Choosing[];
}

/** Connects the host choice to the cache of hosts, machines and Clusters. */
export function createChooseHost({ kube, store, choosing }: ChooseHostDeps): HostChoice {
  /** Splits a key of the host choice into the kind and the object's key. */
  const placeOf = (claimant: string): readonly [Choosing | undefined, string] => {
    const colon = claimant.indexOf(':');
    const api = colon < 0 ? METAL3_MACHINES : claimant.slice(0, colon);
    return [choosing.find(({ followed }) => followed.apiVersion === api), claimant.slice(colon + 1)];
  };
  const find = (claimant: string): readonly [Choosing, Entry] | undefined => {
    const [kind, key] = placeOf(claimant);
    const machine = kind?.machines.get(key);
    return kind && machine && [kind, machine];
  };
  const candidateOf = (entry: Entry): Candidate => {
    const host = readHostFacts(entry.object);
    const isFreed = isAbandoned(host, (kind, name) => store.get(kind, keyOf(name))?.object);
    return isFreed ? { ...host, abandoned: true } : host;
  };
  const choice = createHostChoice({
    *hostsIn(namespace) {
      for (const host of store.having(byNamespace(KINDS.host), namespace)) yield candidateOf(host);
    },
    hostOf: (uid) => [...store.having(byUid(KINDS.host), uid)].map(candidateOf)[0],
    isReady: () => store.isComplete,
    reuseLabel: (place) => reuseLabel(kube, place),
    tell(claimant) {
      const [kind, key] = placeOf(claimant);
      kind?.look(key);
    },
    isThere: (claimant) => find(claimant) !== undefined,
    isActive(claimant) {
      const found = find(claimant);
      return found !== undefined && found[0].mayClaim(found[1], store);
    },
    dice: Math.random,
  });
  store.onChange(({ kind, key, now, before }) => {
    if (!store.isComplete) return;
    if (now === undefined && choosing.some(({ followed }) => isSameKind(kind, followed))) {
      const api = kind.apiVersion === METAL3_MACHINES ? {} : { api: kind.apiVersion };
      choice.machineGone(claimantKey({ ...nameOf(key), ...api }));
    }
    if (isSameKind(kind, KINDS.host))
      choice.hostChanged(now && candidateOf(now), before && readHostFacts(before.object));
    if (!isSameKind(kind, KINDS.cluster)) return;
    // Hosts that are reserved for machines of this Cluster become free for others when it is deleted.
    const cluster = now ?? before;
    if (cluster === undefined || (now !== undefined && !readCluster(now.object).deleting)) return;
    for (const entry of store.having(byNamespace(KINDS.host), cluster.namespace)) {
      const host = candidateOf(entry);
      if (host.abandoned === true) choice.hostChanged(host, host);
    }
  });
  return choice;
}
