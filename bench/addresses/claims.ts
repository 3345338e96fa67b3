import PQueue from 'p-queue';
import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import { createReflector, type ObjectIdentity } from '../../kube/reflector.ts';
import { NAMESPACE } from '../hosts.ts';

/** Name of the pool. Its claims and addresses are read as any client of the API sees them. */
const POOL = 'bench';
/** The first of 16 million addresses, which are allocated in order. */
const FIRST = '10.0.0.1';
/** Concurrent requests. */
const AT_ONCE = 50;
/** Clients of the API are not the controller, so they have a field manager of their own. */
const query = { fieldManager: 'bench' };

const metadata = z.object({ namespace: z.string(), name: z.string(), uid: z.string(), resourceVersion: z.string() });
const claim = z.object({
  metadata,
  status: z
    .object({ address: z.object({ name: z.string() }).optional(), errorMessage: z.string().optional() })
    .optional(),
});
const address = z.object({ metadata, spec: z.object({ address: z.string() }) });

interface SeenClaim extends ObjectIdentity {
  readonly served: boolean;
  readonly error: string | undefined;
}
interface SeenAddress extends ObjectIdentity {
  readonly address: string;
}

export interface Claims {
  create(names: readonly string[]): Promise<void>;
  release(names: readonly string[]): Promise<void>;
  /** Resolves when these claims have their addresses; rejects when one shows an error. */
  served(names: readonly string[]): Promise<void>;
  /** Resolves when there are as many IPAddresses. */
  left(count: number): Promise<void>;
  /** The addresses of all IPAddresses as numbers from the first of the pool, in order. */
  readonly given: readonly number[];
}

const object = (kind: (typeof KINDS)[keyof typeof KINDS], name: string, spec: object): object => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name },
  spec,
});

const numberOf = (text: string): number => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** Creates the pool, and watches claims and addresses while `use` runs. */
export async function withClaims<T>(kube: Kube, use: (claims: Claims) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  let changed = Promise.withResolvers<void>();
  const onChange = (): void => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  // A broken watch continues from its last version.
  const common = { kube, onChange, onTrouble: () => undefined };
  const seen = new Map<string, SeenClaim>();
  const claims = createReflector({
    ...common,
    path: collectionPath(KINDS.ipClaim, NAMESPACE),
    keep: (read): SeenClaim => {
      const { metadata: own, status } = claim.parse(read);
      return { ...own, served: status?.address !== undefined, error: status?.errorMessage };
    },
    onChange: (_, now, before) => {
      if (now !== undefined) seen.set(now.name, now);
      else if (before !== undefined) seen.delete(before.name);
      onChange();
    },
  });
  const given = new Map<string, string>();
  const addresses = createReflector({
    ...common,
    path: collectionPath(KINDS.ipAddress, NAMESPACE),
    keep: (read): SeenAddress => {
      const { metadata: own, spec } = address.parse(read);
      return { ...own, address: spec.address };
    },
    onChange: (key, now) => {
      if (now === undefined) given.delete(key);
      else given.set(key, now.address);
      onChange();
    },
  });
  const following = [claims, addresses].map((each) => each.run(ended.signal));
  await Promise.all([claims.synced, addresses.synced]);

  const forEach = (names: readonly string[], work: (name: string) => Promise<unknown>): Promise<unknown> =>
    new PQueue({ concurrency: AT_ONCE }).addAll(names.map((name) => () => work(name)));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await changed.promise;
  };
  const spec = { namePrefix: POOL, pools: [{ start: FIRST, end: '10.255.255.254' }], prefix: 8 };
  await kube.request({
    method: 'POST',
    path: collectionPath(KINDS.ipPool, NAMESPACE),
    query,
    body: object(KINDS.ipPool, POOL, spec),
  });
  try {
    return await use({
      create: async (names) =>
        void (await forEach(names, (name) =>
          kube.request({
            method: 'POST',
            path: collectionPath(KINDS.ipClaim, NAMESPACE),
            query,
            body: object(KINDS.ipClaim, name, { pool: { name: POOL } }),
          }),
        )),
      release: async (names) =>
        void (await forEach(names, (name) =>
          kube.request({ method: 'DELETE', path: objectPath(KINDS.ipClaim, { namespace: NAMESPACE, name }) }),
        )),
      served: (names) =>
        until(() =>
          names.every((name) => {
            const error = seen.get(name)?.error;
            if (error !== undefined) throw new Error(`claim ${name} was refused: ${error}`);
            return seen.get(name)?.served === true;
          }),
        ),
      left: (count) => until(() => given.size === count),
      get given() {
        return [...given.values()].map((text) => numberOf(text) - numberOf(FIRST)).toSorted((a, b) => a - b);
      },
    });
  } finally {
    ended.abort();
    await Promise.all(following);
  }
}
