import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AccessVerdict, Gate } from '../platform/metrics/server.ts';
import type { Kube } from './client.ts';

/** How long an answer is cached, in milliseconds: revoked and granted rights take effect this much later. */
const ALLOWED_MS = 60_000;
const REFUSED_MS = 10_000;
/** More than the number of scrapers; guessed tokens must not fill the memory. */
const REMEMBERED = 1_000;

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

export function createGate(kube: Kube, now: () => number = Date.now): Gate {
  const answers = new Map<string, { readonly until: number; readonly verdict: AccessVerdict }>();

  const ask = async (token: string, verb: string, path: string): Promise<AccessVerdict> => {
    const { authenticated, user } = tokenReview.parse(
      await kube.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
      }),
    ).status;
    if (!authenticated || !user?.username) return { kind: 'unknown' };
    const { username, ...rest } = user;
    const { allowed } = accessReview.parse(
      await kube.request({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: username, ...rest, nonResourceAttributes: { verb, path } },
        },
      }),
    ).status;
    return allowed ? { kind: 'allowed' } : { kind: 'forbidden', user: username };
  };

  return async (token, verb, path) => {
    const key = createHash('sha256').update(`${verb} ${path} ${token}`).digest('base64');
    const known = answers.get(key);
    if (known !== undefined && now() < known.until) return known.verdict;
    const verdict = await ask(token, verb, path);
    if (answers.size >= REMEMBERED) answers.clear();
    answers.set(key, { verdict, until: now() + (verdict.kind === 'allowed' ? ALLOWED_MS : REFUSED_MS) });
    return verdict;
  };
}
