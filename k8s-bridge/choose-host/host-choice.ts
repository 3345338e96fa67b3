import { randomUUID } from 'node:crypto';
import type { ObjectReference } from '../../api/meta/references.ts';
import { claimantKey, type HostFacts } from '../../domain/machine/choose-host/host-facts.ts';
import { hostSelector } from '../../domain/machine/choose-host/label-selector.ts';
import {
  type Candidate,
  type Choice,
  type Criteria,
  couldTake,
  isFree,
  selectHost,
} from '../../domain/machine/choose-host/select-host.ts';
import type { HostNews } from '../../domain/machine/memory/snapshot.ts';
import type { AssociateOrder, HostClaimOrder } from '../../domain/machine/memory/step.ts';
import { HOST_LABELS } from '../../domain/machine/names.ts';
import { once } from '../../kube/once.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';

export type ChoiceAnswer =
  | {
      readonly kind: 'chosen';
      readonly host: HostClaimOrder['host'];
      /** The node-reuse label with which a host may be reserved for this machine. */
      readonly reuse?: string;
      readonly viaReuse: boolean;
    }
  | { readonly kind: 'no host'; readonly reason: string; readonly news: HostNews }
  | { readonly kind: 'invalid'; readonly message: string };

export interface ChoiceActivities {
  /**
   * Suggests a host to the machine, and to no other machine for a while. Without a suitable host, the machine is
   * signalled when one may have become free.
   */
  chooseHost(order: AssociateOrder & { readonly refused: readonly string[] }): Promise<ChoiceAnswer>;
}

export interface HostChoice {
  readonly activities: ChoiceActivities;
  /** Changes with each signal that a host may have become free for the machine. */
  readonly newsOf: (key: string) => HostNews;
  hostChanged(now: Candidate | undefined, before: HostFacts | undefined): void;
  /** The machine with this key was deleted. */
  machineGone(key: string): void;
  stop(): void;
  readonly kept: KeptSizes;
}

export interface HostChoiceDeps {
  /** The hosts of a namespace: a machine can only have a host of its own namespace. */
  readonly hostsIn: (namespace: string) => Iterable<Candidate>;
  readonly hostOf: (uid: string) => Candidate | undefined;
  /** False until all Clusters and machines are listed; no machine can choose or wait before. */
  readonly isReady: () => boolean;
  /** The node-reuse label of hosts that are reserved for machines of this owner. */
  readonly reuseLabel: (
    machine: { readonly namespace: string } & AssociateOrder['owner'],
  ) => Promise<string | undefined>;
  /** Queues the machine with this key (`claimantKey`), so that it chooses again. */
  readonly tell: (key: string) => void;
  /** The machine with this key exists. */
  readonly isThere: (key: string) => boolean;
  /** The machine with this key exists and may claim a host. */
  readonly isActive: (key: string) => boolean;
  /** In [0, 1). */
  readonly dice: () => number;
}

/** How long a suggested host is suggested to no other machine. */
const PROMISE_MS = 30_000;
/** How long after that it is suggested to others only when they find no other host: its machine may be about to claim it. */
const LATE_MS = 600_000;
/** How long a host is suggested to no machine after its own workflow refused a claim, unless it changes. */
const REFUSED_MS = 5_000;

type Order = Parameters<ChoiceActivities['chooseHost']>[0];

interface Promised {
  readonly key: string;
  readonly timer: NodeJS.Timeout;
  readonly isLate: boolean;
}

interface Look {
  readonly criteria: Criteria;
  /** Hosts that are promised to the machine. */
  readonly given: readonly string[];
  /** The hosts of the namespace. */
  readonly candidates: readonly Candidate[];
  readonly choice: Choice;
}

interface Waiting {
  readonly key: string;
  readonly since: string;
  readonly criteria: Criteria;
}

/**
 * Chooses hosts for machines from all known hosts. A host is promised to one machine at a time, so that many can choose
 * at once. Machines that find none wait, and the oldest one that could claim a host is signalled first. This is only a
 * suggestion: the host's own workflow decides on claims.
 */
export function createHostChoice(deps: HostChoiceDeps): HostChoice {
  const { hostsIn, hostOf, isReady, reuseLabel, tell, isThere, isActive, dice } = deps;
  const bridge = randomUUID();
  const promises = new Map<string, Promised>();
  const waiting = new Map<string, Waiting>();
  const news = new Map<string, number>();

  const forget = (key: string): void => {
    waiting.delete(key);
    news.delete(key);
  };
  const newsOf = (key: string): HostNews => ({ bridge, count: news.get(key) ?? 0 });
  const release = (uid: string): void => {
    clearTimeout(promises.get(uid)?.timer);
    promises.delete(uid);
  };
  const keep = (uid: string, key: string, isLate: boolean, ms: number, then: () => void): void => {
    release(uid);
    promises.set(uid, { key, isLate, timer: setTimeout(then, ms).unref() });
  };
  const selectorOf = once((selector) => hostSelector(selector as Criteria['hostSelector']));
  const promise = (uid: string, key: string): void =>
    keep(uid, key, false, PROMISE_MS, () => {
      if (isThere(key)) keep(uid, key, true, LATE_MS, () => promises.delete(uid));
      else promises.delete(uid);
      offerAgain(uid);
    });
  /** Suggests the host to no machine. */
  const withhold = (uid: string): void =>
    keep(uid, '', false, REFUSED_MS, () => {
      promises.delete(uid);
      offerAgain(uid);
    });
  const isPromised = (uid: string): boolean => promises.get(uid)?.isLate === false;
  /** Signals the oldest waiting machine that could take this host. */
  const offer = (host: Candidate): void => {
    if (isPromised(host.uid) || !isFree(host)) return;
    // Machines that are gone or paused lose their place in the queue.
    for (const key of [...waiting.keys()].filter((one) => !isActive(one))) forget(key);
    const next = [...waiting.values()]
      .filter(({ criteria }) => couldTake(host, criteria, selectorOf))
      .toSorted((a, b) => (a.since === b.since ? (a.key < b.key ? -1 : 1) : a.since < b.since ? -1 : 1))[0];
    if (next === undefined) return;
    waiting.delete(next.key);
    promise(host.uid, next.key);
    news.set(next.key, (news.get(next.key) ?? 0) + 1);
    tell(next.key);
  };

  /** The hosts that are available for a machine now. */
  const look = ({ machine, criteria: wanted, refused }: Order, reuse: string | undefined): Look => {
    const { namespace, name, api } = machine;
    const wish = { machine: { namespace, name, ...(api !== undefined && { api }) } };
    const criteria: Criteria = { ...wish, ...wanted, ...(reuse !== undefined && { reuse }) };
    const given = [...promises].filter(([, promised]) => promised.key === claimantKey(machine)).map(([uid]) => uid);
    const candidates = Array.from(hostsIn(namespace), (host) => {
      const promised = promises.get(host.uid);
      if (refused.includes(host.uid)) return { ...host, promised: true };
      if (promised?.isLate === true) return { ...host, late: true };
      return promised !== undefined && !given.includes(host.uid) ? { ...host, promised: true } : host;
    });
    // The host for which the machine was signalled, if it is still available: it was withheld from other machines.
    const offered = candidates.find(
      (host) => given.includes(host.uid) && isPromised(host.uid) && couldTake(host, criteria, selectorOf),
    );
    const choice = selectHost(offered === undefined ? candidates : [offered], criteria, dice());
    return { criteria, given, candidates, choice };
  };

  return {
    activities: {
      async chooseHost(order) {
        if (!isReady()) throw new Error('not all Clusters and machines are listed yet');
        const { machine, owner, refused } = order;
        const { namespace } = machine;
        const key = claimantKey(machine);
        const plain = look(order, undefined);
        // A machine that finds an unreserved host does not need its node-reuse label. A waiting machine does, because a
        // host may be reserved for it later.
        const isReuseAsked = plain.choice.kind === 'none' || plain.candidates.some(isReserved);
        const reuse = isReuseAsked ? await reuseLabel({ namespace, ...owner }) : undefined;
        const { criteria, given, choice } = isReuseAsked ? look(order, reuse) : plain;
        for (const uid of given) release(uid);
        for (const uid of refused) withhold(uid);
        waiting.delete(key);
        switch (choice.kind) {
          case 'chosen': {
            const { host, viaReuse } = choice;
            promise(host.uid, key);
            for (const uid of given) if (uid !== host.uid) offerAgain(uid);
            const named = { namespace: host.namespace, name: host.name, uid: host.uid };
            const label = host.abandoned === true ? host.labels[HOST_LABELS.nodeReuse] : reuse;
            return { kind: 'chosen', host: named, viaReuse, ...(label !== undefined && { reuse: label }) };
          }
          case 'none':
            // The machine may have been deleted since it asked.
            if (isThere(key)) waiting.set(key, { key, since: machine.creationTimestamp, criteria });
            for (const uid of given) offerAgain(uid);
            return { kind: 'no host', reason: choice.reason, news: newsOf(key) };
          case 'invalid':
            for (const uid of given) offerAgain(uid);
            return choice;
        }
      },
    },
    newsOf,
    hostChanged(now, before) {
      if (before !== undefined && (now?.uid !== before.uid || !isSame(now.consumer, before.consumer)))
        release(before.uid);
      if (now !== undefined) offer(now);
    },
    machineGone(key) {
      forget(key);
      for (const [uid, promised] of promises) if (promised.key === key && promised.isLate) release(uid);
    },
    stop() {
      for (const uid of promises.keys()) release(uid);
    },
    kept: {
      promised_hosts: () => promises.size,
      waiting_machines: () => waiting.size,
      signalled_machines: () => news.size,
    },
  };

  function offerAgain(uid: string): void {
    const host = hostOf(uid);
    if (host !== undefined) offer(host);
  }
}

const isReserved = ({ labels }: HostFacts): boolean => HOST_LABELS.nodeReuse in labels;
const isSame = (a: ObjectReference | undefined, b: ObjectReference | undefined): boolean =>
  a?.kind === b?.kind && a?.namespace === b?.namespace && a?.name === b?.name;
