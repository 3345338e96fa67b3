import { FINALIZERS, SECRET_LABEL } from '../../api/baremetalhost/values.ts';
import { type MarksOnSecret, type OutdatedMarks, outdatedMarks } from '../../domain/host/registration/secret-marks.ts';
import { messageOf } from '../../domain/message-of.ts';
import { byUid } from '../../kube/by-name.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { isSameKind, KINDS } from '../../kube/kinds.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { hostsIn, marksOf } from '../../kube/objects/secret.ts';
import { hostPath, isObjectName, secretPath } from '../../kube/paths.ts';
import { keyOf, nameOf } from '../../kube/reflector.ts';
import { unlessGone } from '../../kube/remove.ts';
import type { Change, Entry, Index, Store } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import { createQueue } from '../watch/queue.ts';
import { heldBy, hostsHolding, usersOf } from './secret-users.ts';

interface ReleaseDeps {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  readonly store: Store;
  /** The Secret with network data that the host with this uid was registered with; undefined: unknown, or none. */
  readonly agentNetworkOf: (uid: string) => string | undefined;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** How long (ms) a Secret that no host names is left alone: the watch of hosts may be late. */
  readonly settleMs?: number;
}

/** Releases Secrets that hosts have left behind: our finalizer, our label, and the hosts as owners. */
export interface ReleaseSecrets {
  /** All hosts and Secrets are listed: begins, with those that were left behind while no bridge ran. */
  serve(): void;
  /** The view of the host with this key was published: it may say which Secret is in use. */
  hostWritten(key: string): void;
  stop(): Promise<void>;
  readonly size: number;
}

const SETTLE_MS = 10_000;
const AT_ONCE = 4;
/** The API server is asked for hosts only about Secrets that are released. */
const BACKOFF = { firstMs: 1_000, mostMs: 600_000 };
/** The first tries often meet a change of the Secret, or an API server that is busy. */
const WARNED_FROM_MS = 30_000;

const hosts = byUid(KINDS.host);

/**
 * Follows the cache, without a memory of its own: a Secret that no host names any more is found again after a restart
 * and after a restore of etcd.
 */
export function createReleaseSecrets(deps: ReleaseDeps): ReleaseSecrets {
  const { kube, store, agentNetworkOf, log, settleMs = SETTLE_MS } = deps;
  let isServing = false;
  const queue = createQueue({
    concurrency: AT_ONCE,
    backoff: BACKOFF,
    onFailure: (secret, error, retryInMs) =>
      log[retryInMs < WARNED_FROM_MS ? 'info' : 'warn'](
        { secret, error: messageOf(error), retryInMs },
        'a Secret that no host names could not be released',
      ),
  });

  const hostOf = (uid: string): Entry | undefined => [...store.having(hosts, uid)][0];
  /** The Secrets that the host names are marked or, where a policy forbids that, in use; or the host is to go. */
  const isSettled = (uid: string): boolean => {
    const host = hostOf(uid);
    if (host === undefined) return true;
    const { namespace } = host;
    return heldBy(host).begun.every(
      (name) =>
        name === agentNetworkOf(uid) || store.get(KINDS.secret, keyOf({ namespace, name }))?.object !== undefined,
    );
  };
  const outdatedIn = (key: string, marks: MarksOnSecret | undefined): OutdatedMarks | undefined =>
    marks && outdatedMarks(marks, [...usersOf(key, store)], { isThere: (uid) => hostOf(uid) !== undefined, isSettled });

  const look = (key: string): void => {
    const marks = keptMarks(store.get(KINDS.secret, key));
    if (outdatedIn(key, marks) === undefined) return;
    // A Secret that is being deleted gets no new marks.
    if (marks?.deleting) queue.add(key);
    else queue.addLater(key, settleMs);
  };
  const lookAtOwned = (uid: string): void => {
    for (const secret of store.having(secretsByOwner, uid)) look(keyOf(secret));
  };
  const follow = ({ kind, key, now, before }: Change): void => {
    if (!isServing) return;
    if (isSameKind(kind, KINDS.secret)) {
      look(key);
      for (const { uid } of store.having(hostsHolding, key)) lookAtOwned(uid);
    }
    if (isSameKind(kind, KINDS.host)) {
      for (const secret of before === undefined ? [] : hostsHolding.keysOf(before)) look(secret);
      for (const entry of [before, now]) if (entry !== undefined) lookAtOwned(entry.uid);
    }
    if (isSameKind(kind, KINDS.preprovisioningImage) && before !== undefined) lookAtOwned(hostUidOf(before, store));
  };
  store.onChange(follow);

  const release = async (key: string): Promise<void> => {
    if (outdatedIn(key, keptMarks(store.get(KINDS.secret, key))) === undefined) return;
    const name = nameOf(key);
    const found = await kube.find(secretPath(name));
    if (found === undefined) return;
    const { ownerReferences, finalizers, resourceVersion: read } = readMetadata(found);
    const marks = marksOf(readMetadata(found));
    const outdated = outdatedIn(key, marks);
    // The cache of hosts may be late: one that owns the Secret may name it again by now.
    if (outdated === undefined || (await isNamedByOwner(name, marks))) return;
    let resourceVersion = read;
    const change = async (metadata: object): Promise<void> => {
      const written = await kube.patch(secretPath(name), { metadata: { ...metadata, resourceVersion } });
      resourceVersion = readMetadata(written).resourceVersion;
    };
    const isOutdated = new Set(hostsIn(ownerReferences).filter(({ uid }) => outdated.owners.includes(uid)));
    try {
      if (isOutdated.size > 0)
        await change({ ownerReferences: ownerReferences.filter((each) => !isOutdated.has(each)) });
    } catch (error) {
      // Where changes of owners need a right that we lack, we have added none.
      if (!(error instanceof KubeError) || (error.status !== 403 && error.status !== 422)) throw error;
      log.info({ secret: key, error: error.words }, 'the API server refused to remove a host as an owner of a Secret');
      if (!outdated.finalizer) return;
    }
    if (outdated.finalizer) {
      await change({
        finalizers: finalizers.filter((each) => each !== FINALIZERS.secret),
        ...(outdated.label && { labels: { [SECRET_LABEL.key]: null } }),
      });
    }
    log.info({ secret: key, ...outdated }, 'released a Secret that its host no longer names');
  };

  const isNamedByOwner = async (secret: ReturnType<typeof nameOf>, { owners }: MarksOnSecret): Promise<boolean> => {
    const { namespace } = secret;
    const read = await Promise.all(
      owners
        .filter(({ name }) => isObjectName(name))
        .map(async ({ name, uid }) => {
          const found = await kube.find(hostPath({ namespace, name }));
          if (found === undefined || readMetadata(found).uid !== uid) return false;
          const isKnown = [...store.having(hostsHolding, keyOf(secret))].some((host) => host.uid === uid);
          return !isKnown && heldBy({ object: found }).all.includes(secret.name);
        }),
    );
    return read.includes(true);
  };

  return {
    serve() {
      isServing = true;
      queue.serve((key) => release(key).catch(unlessGone));
      for (const secret of store.values(KINDS.secret)) look(keyOf(secret));
    },
    hostWritten(key) {
      const host = store.get(KINDS.host, key);
      if (isServing && host !== undefined) lookAtOwned(host.uid);
    },
    stop: () => queue.stop(),
    get size() {
      return queue.kept;
    },
  };
}

const keptMarks = (entry: Entry | undefined): MarksOnSecret | undefined => entry?.object as MarksOnSecret | undefined;

/** Secrets with our finalizer by the hosts that own them. */
const secretsByOwner: Index = {
  kind: KINDS.secret,
  keysOf: (entry) => keptMarks(entry)?.owners.map(({ uid }) => uid) ?? [],
};

/** The host of a PreprovisioningImage has its name. */
const hostUidOf = (image: Entry, store: Store): string => store.get(KINDS.host, keyOf(image))?.uid ?? '';
