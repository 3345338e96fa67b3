import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { settle } from '../../domain/entity/conditions.ts';
import { type ClaimKind, POOL_NOT_READY, poolMissing } from '../../domain/ip-pool/names.ts';
import { messageOf } from '../../domain/message-of.ts';
import type { Kube } from '../../kube/client.ts';
import { type FollowedKind, isSameKind, KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { readPoolClaim } from '../../kube/objects/ip-pool.ts';
import { objectPath } from '../../kube/paths.ts';
import { nameOf } from '../../kube/reflector.ts';
import { unlessGone } from '../../kube/remove.ts';
import type { Entry } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import type { Around } from '../around.ts';
import { CLUSTER_API_EVENTS } from '../binding.ts';
import { CLAIMS } from '../bindings/ip-pool.ts';
import type { Announce } from '../publish/announce.ts';
import { ownObjects } from '../watch/own-objects.ts';
import { createQueue } from '../watch/queue.ts';

interface MissingPoolsDeps extends Pick<Around, 'store' | 'now'> {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  readonly announce: Announce;
  /** Only claims with this value of the label; '': all. */
  readonly watchFilter: string;
  readonly log: Pick<Log, 'info'>;
}

/** Reports on claims that their IPPool does not exist. A pool that exists has a run, which answers its claims. */
export interface MissingPools {
  /** Claims and pools are listed: begins, with the claims that were created while no bridge ran. */
  serve(): void;
  stop(): Promise<void>;
  /** Number of missing pools with claims on which that was reported. */
  readonly size: number;
}

/** A claim without an address. */
interface Waiting {
  readonly kind: ClaimKind;
  readonly claim: FollowedKind;
  readonly entry: Entry;
}

const AT_ONCE = 4;

/** Follows the cache, by the key of the missing pool: a burst of claims is one report. */
export function createMissingPools({ kube, store, announce, watchFilter, log, now }: MissingPoolsDeps): MissingPools {
  let isServing = false;
  /** The uids of claims on which it was reported, by the key of their missing pool. */
  const reported = new Map<string, ReadonlySet<string>>();
  const queue = createQueue({
    concurrency: AT_ONCE,
    onFailure: (pool, error, retryInMs) =>
      log.info({ pool, error: messageOf(error), retryInMs }, 'claims could not be told that their pool is missing'),
  });

  const waitingFor = (pool: string): readonly Waiting[] =>
    CLAIMS.flatMap(({ kind, claim, claimsByPool }) => {
      const own = ownObjects({ followed: claim }, store, watchFilter);
      return [...store.having(claimsByPool, pool)]
        .filter((entry) => {
          const { metadata, facts } = readPoolClaim[kind](entry.object);
          return own.has(entry) && !facts.deleting && facts.shown === undefined && !isPausedByAnnotation(metadata);
        })
        .map((entry) => ({ kind, claim, entry }));
    });

  const report = async (pool: string, { kind, claim, entry }: Waiting): Promise<void> => {
    const message = poolMissing(pool);
    const { metadata, status } = readObject(entry.object);
    const conditions = conditionsOf(status);
    if (kind === 'IPAddressClaim') {
      // An earlier bridge has reported it.
      if (conditions.some((each) => each.type === 'Ready' && each.message === message)) return;
      const ready = { type: 'Ready', status: 'False', reason: POOL_NOT_READY, message } as const;
      await kube.patch(`${objectPath(claim, entry)}/status`, {
        metadata: { resourceVersion: entry.resourceVersion },
        status: { conditions: settle([ready], conditions, metadata.generation, now()) },
      });
    }
    const event = { id: `missing/${pool}`, reason: POOL_NOT_READY, message, type: 'Warning' } as const;
    await announce({ binding: { followed: claim, ...CLUSTER_API_EVENTS }, object: entry, event });
  };

  const reportMissing = async (pool: string): Promise<void> => {
    const waiting = store.get(KINDS.ipPool, pool) === undefined ? waitingFor(pool) : [];
    const before = reported.get(pool) ?? new Set();
    const still = new Set(waiting.flatMap(({ entry: { uid } }) => (before.has(uid) ? [uid] : [])));
    if (waiting.length === 0) reported.delete(pool);
    else reported.set(pool, still);
    const unreported = waiting.filter(({ entry }) => !still.has(entry.uid));
    // The watch of pools may be later than that of claims.
    if (unreported.length === 0 || (await kube.find(objectPath(KINDS.ipPool, nameOf(pool)))) !== undefined) return;
    for (const each of unreported) {
      // The claim may be gone.
      await report(pool, each).catch(unlessGone);
      still.add(each.entry.uid);
    }
  };

  store.onChange(({ kind, key, now: after, before }) => {
    if (!isServing) return;
    if (isSameKind(kind, KINDS.ipPool)) queue.add(key);
    for (const { claim, claimsByPool } of CLAIMS) {
      if (!isSameKind(kind, claim)) continue;
      for (const entry of [before, after])
        if (entry !== undefined) for (const pool of claimsByPool.keysOf(entry)) queue.add(pool);
    }
  });

  return {
    serve() {
      isServing = true;
      queue.serve(reportMissing);
      for (const { claim, claimsByPool } of CLAIMS)
        for (const entry of store.values(claim)) for (const pool of claimsByPool.keysOf(entry)) queue.add(pool);
    },
    stop: () => queue.stop(),
    get size() {
      return reported.size;
    },
  };
}
