import { randomUUID } from 'node:crypto';
import type { ObjectReference } from '../../api/meta/types.ts';
import type { HostFacts } from '../../domain/machine/host-facts.ts';
import { HOST_LABELS } from '../../domain/machine/names.ts';
import {
  type Candidate,
  type Choice,
  type Criteria,
  couldTake,
  isFree,
  selectHost,
} from '../../domain/machine/select-host.ts';
import type { HostNews } from '../../domain/machine/snapshot.ts';
import type { AssociateOrder, HostClaimOrder } from '../../domain/machine/step.ts';
import { keyOf } from '../../kube/reflector.ts';

export type ChoiceAnswer =
  | {
      readonly kind: 'chosen';
      readonly host: HostClaimOrder['host'];
      /** The label by which it may be kept, and be claimed all the same. */
      readonly reuse?: string;
      readonly viaReuse: boolean;
    }
  | { readonly kind: 'no host'; readonly reason: string; readonly news: HostNews }
  | { readonly kind: 'invalid'; readonly message: string };

export interface ChoiceActivities {
  /** The host that the machine may claim, promised to no other for a while; without any it will be told of news. */
  chooseHost(order: AssociateOrder & { readonly refused: readonly string[] }): Promise<ChoiceAnswer>;
}

export interface HostChoice {
  readonly activities: ChoiceActivities;
  /** How often the machine was told that there may be a host for it. */
  readonly newsOf: (key: string) => HostNews;
  hostChanged(now: Candidate | undefined, before: HostFacts | undefined): void;
  stop(): void;
}

export interface HostChoiceDeps {
  readonly hosts: () => Iterable<Candidate>;
  /** False while not all Clusters and machines are known; nobody can choose, or wait, before. */
  readonly isReady: () => boolean;
  /** The node-reuse label of hosts that are kept for machines of this origin. */
  readonly reuseLabel: (
    machine: { readonly namespace: string } & AssociateOrder['owner'],
  ) => Promise<string | undefined>;
  /** There is news for the machine of this key. */
  readonly tell: (key: string) => void;
  /** The machine of this key is there and may claim a host. */
  readonly isActive: (key: string) => boolean;
  /** In [0, 1). */
  readonly dice: () => number;
}

/** How long a host is kept for the machine that is about to claim it. */
const PROMISE_MS = 30_000;
/** And how long nobody gets one that its own workflow would not give away, unless it is seen to change. */
const REFUSED_MS = 5_000;

type Order = Parameters<ChoiceActivities['chooseHost']>[0];

interface Look {
  readonly criteria: Criteria;
  /** Hosts that are promised to it. */
  readonly given: readonly string[];
  readonly choice: Choice;
}

interface Waiting {
  readonly key: string;
  readonly since: string;
  readonly criteria: Criteria;
}

/**
 * Which machine gets which host, out of what is known of all of them. Hosts are promised to one machine at a time, so
 * that many can choose at once; those that find none wait, and the oldest that could take a host hears of it first.
 * Only an aid: who has a host in the end is decided by the host's own workflow.
 */
export function createHostChoice({ hosts, isReady, reuseLabel, tell, isActive, dice }: HostChoiceDeps): HostChoice {
  const bridge = randomUUID();
  const promises = new Map<string, { readonly key: string; readonly timer: NodeJS.Timeout }>();
  const waiting = new Map<string, Waiting>();
  const news = new Map<string, number>();

  const newsOf = (key: string): HostNews => ({ bridge, count: news.get(key) ?? 0 });
  const hostOf = (uid: string): Candidate | undefined => [...hosts()].find((host) => host.uid === uid);
  const release = (uid: string): void => {
    clearTimeout(promises.get(uid)?.timer);
    promises.delete(uid);
  };
  const promise = (uid: string, key: string, ms: number): void => {
    release(uid);
    const lapse = (): void => {
      promises.delete(uid);
      const host = hostOf(uid);
      if (host !== undefined) offer(host);
    };
    promises.set(uid, { key, timer: setTimeout(lapse, ms).unref() });
  };
  /** The oldest of those that wait for a host like this one is to ask for it. */
  const offer = (host: Candidate): void => {
    if (promises.has(host.uid) || !isFree(host)) return;
    // Who is gone or paused meanwhile asks anew, if ever.
    for (const key of [...waiting.keys()].filter((one) => !isActive(one))) {
      waiting.delete(key);
      news.delete(key);
    }
    const next = [...waiting.values()]
      .filter(({ criteria }) => couldTake(host, criteria))
      .toSorted((a, b) => (a.since === b.since ? (a.key < b.key ? -1 : 1) : a.since < b.since ? -1 : 1))[0];
    if (next === undefined) return;
    waiting.delete(next.key);
    promise(host.uid, next.key, PROMISE_MS);
    news.set(next.key, (news.get(next.key) ?? 0) + 1);
    tell(next.key);
  };

  /** What there is for a machine at this moment. */
  const look = ({ machine, criteria: wanted, refused }: Order, reuse: string | undefined): Look => {
    const { namespace, name } = machine;
    const criteria: Criteria = { machine: { namespace, name }, ...wanted, ...(reuse !== undefined && { reuse }) };
    const given = [...promises].filter(([, promised]) => promised.key === keyOf(machine)).map(([uid]) => uid);
    const isPromised = ({ uid }: HostFacts): boolean => promises.has(uid) && !given.includes(uid);
    const candidates = [...hosts()].map((host) =>
      refused.includes(host.uid) || isPromised(host) ? { ...host, promised: true } : host,
    );
    // The one that it was told of, if it can still be had: that is what the others were kept from.
    const offered = candidates.find((host) => given.includes(host.uid) && couldTake(host, criteria));
    return { criteria, given, choice: selectHost(offered === undefined ? candidates : [offered], criteria, dice()) };
  };
  const areAnyKept = (namespace: string): boolean =>
    [...hosts()].some((host) => host.namespace === namespace && isKept(host));

  return {
    activities: {
      async chooseHost(order) {
        if (!isReady()) throw new Error('not all Clusters and machines are known yet');
        const { machine, owner, refused } = order;
        const { namespace } = machine;
        const key = keyOf(machine);
        const plain = look(order, undefined);
        // A request that is spared those who find a host where none is kept. Who has to wait has to be known by it, for
        // a host may be kept for it only later.
        const isReuseAsked = plain.choice.kind === 'none' || areAnyKept(namespace);
        const reuse = isReuseAsked ? await reuseLabel({ namespace, ...owner }) : undefined;
        const { criteria, given, choice } = isReuseAsked ? look(order, reuse) : plain;
        for (const uid of given) release(uid);
        for (const uid of refused) promise(uid, '', REFUSED_MS);
        waiting.delete(key);
        switch (choice.kind) {
          case 'chosen': {
            const { host, viaReuse } = choice;
            promise(host.uid, key, PROMISE_MS);
            for (const uid of given) if (uid !== host.uid) offerAgain(uid);
            const named = { namespace: host.namespace, name: host.name, uid: host.uid };
            const label = host.abandoned === true ? host.labels[HOST_LABELS.nodeReuse] : reuse;
            return { kind: 'chosen', host: named, viaReuse, ...(label !== undefined && { reuse: label }) };
          }
          case 'none':
            waiting.set(key, { key, since: machine.creationTimestamp, criteria });
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
    stop() {
      for (const uid of promises.keys()) release(uid);
    },
  };

  function offerAgain(uid: string): void {
    const host = hostOf(uid);
    if (host !== undefined) offer(host);
  }
}

const isKept = ({ labels }: HostFacts): boolean => HOST_LABELS.nodeReuse in labels;
const isSame = (a: ObjectReference | undefined, b: ObjectReference | undefined): boolean =>
  a?.kind === b?.kind && a?.namespace === b?.namespace && a?.name === b?.name;
