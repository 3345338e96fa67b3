import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AccessVerdict, Gate } from '../platform/metrics/server.ts';
import type { Kube } from './client.ts';
import { collectionPath } from './paths.ts';

/** How long an answer is cached, in milliseconds: revoked and granted rights take effect this much later. */
const ALLOWED_MS = 60_000;
const REFUSED_MS = 10_000;
/** Limit of remembered answers: more than there are clients. Guessed tokens must not fill the memory. */
const REMEMBERED = 1_000;
/** Tokens that are checked at a time. Beyond these, whoever comes is refused: anybody can make up tokens. */
const AT_ONCE = 50;
/** Requests to the API server for them in a second, and in a burst. */
export const GATE_RATE = { perSecond: 20, burst: 40 } as const;

const tokenReview = z.object({
  status: z.object({
    authenticated: z.boolean().default(false),
    user: z
      .object({
        // Empty for an unknown token.
        username: z.string().default(''),
        uid: z.string().optional(),
        groups: z.array(z.string()).optional(),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional(),
  }),
});
const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

/** The access that is asked about. */
type Asked =
  | { readonly nonResourceAttributes: { readonly verb: string; readonly path: string } }
  | { readonly resourceAttributes: ReadableObject & { readonly verb: 'get' } };

/** An object of the API; without a name: all of them, without a namespace: in all namespaces. */
export interface ReadableObject {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Asks the API server what the owner of a token may do. */
export interface Gates {
  /** Asks whether the API server knows the owner. */
  readonly isKnown: (token: string) => Promise<AccessVerdict>;
  readonly mayUse: Gate;
  /** Asks whether the owner may get an object. */
  readonly mayGet: (token: string, object: ReadableObject) => Promise<AccessVerdict>;
}

/** `kube` serves nothing else, so that no other request waits behind made-up tokens. */
export function createGates(kube: Pick<Kube, 'request'>, now: () => number = Date.now): Gates {
  let asking = 0;
  const answers = new Map<string, { until: number; isRefused: boolean; readonly verdict: Promise<AccessVerdict> }>();

  const ask = async (token: string, asked: Asked | undefined): Promise<AccessVerdict> => {
    if (asking === AT_ONCE) throw new Error(`${AT_ONCE} tokens are being checked: try again later`);
    asking += 1;
    try {
      return await verdictOf(token, asked);
    } finally {
      asking -= 1;
    }
  };

  /** The API server answers a review when it is created. */
  const review = (apiVersion: string, kind: string, spec: object): Promise<unknown> => {
    const path = collectionPath({ apiVersion, plural: `${kind.toLowerCase()}s` }, undefined);
    return kube.request({ method: 'POST', path, body: { apiVersion, kind, spec } });
  };

  const verdictOf = async (token: string, asked: Asked | undefined): Promise<AccessVerdict> => {
    const known = await review('authentication.k8s.io/v1', 'TokenReview', { token });
    const { authenticated, user } = tokenReview.parse(known).status;
    if (!authenticated || !user?.username) return { kind: 'unknown' };
    if (asked === undefined) return { kind: 'allowed' };
    const { username, ...rest } = user;
    const spec = { user: username, ...rest, ...asked };
    const { allowed } = accessReview.parse(await review('authorization.k8s.io/v1', 'SubjectAccessReview', spec)).status;
    return allowed ? { kind: 'allowed' } : { kind: 'forbidden', user: username };
  };

  /**
   * Concurrent requests ask once. When there are too many answers, refusals are forgotten first: tokens may be guessed.
   */
  const remembered = (token: string, asked?: Asked): Promise<AccessVerdict> => {
    const key = createHash('sha256')
      .update(JSON.stringify([asked, token]))
      .digest('base64');
    const known = answers.get(key);
    if (known !== undefined && now() < known.until) return known.verdict;
    if (answers.size >= REMEMBERED) {
      for (const [other, { until, isRefused }] of answers) if (isRefused || until <= now()) answers.delete(other);
    }
    if (answers.size >= REMEMBERED) answers.clear();
    const verdict = ask(token, asked);
    const answer = { verdict, until: now() + ALLOWED_MS, isRefused: false };
    answers.set(key, answer);
    verdict.then(
      ({ kind }) => {
        if (kind === 'allowed') return;
        answer.until = now() + REFUSED_MS;
        answer.isRefused = true;
      },
      () => answers.delete(key),
    );
    return verdict;
  };
  return {
    isKnown: (token) => remembered(token),
    mayUse: (token, verb, path) => remembered(token, { nonResourceAttributes: { verb, path } }),
    mayGet: (token, object) => remembered(token, { resourceAttributes: { ...object, verb: 'get' } }),
  };
}
