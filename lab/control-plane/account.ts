import { readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Kube } from '../../kube/client.ts';
import type { Named } from '../../kube/paths.ts';

const issued = z.object({ status: z.object({ token: z.string() }) });
const YEARS_10 = 10 * 365 * 24 * 3600;

/**
 * A token of a service account. It is valid for ten years, but not longer than the account and the API server's key
 * exist.
 */
export async function tokenOf(kube: Kube, { namespace, name }: Named): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { expirationSeconds: YEARS_10 };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  return issued.parse(await kube.request({ method: 'POST', path, body })).status.token;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: object }[];
  readonly users: readonly { readonly user: object }[];
}

/**
 * The kubeconfig in a file, with the token of an account instead of the user's credentials. `server`: the URL of the
 * API server, when it is another one than in the file.
 */
export async function kubeconfigWith(token: string, file: string, server?: string): Promise<string> {
  const config = parse(await readFile(file, 'utf8')) as Kubeconfig;
  const reached = server === undefined ? {} : { server };
  return stringify({
    ...config,
    clusters: config.clusters.map((one) => ({ ...one, cluster: { ...one.cluster, ...reached } })),
    users: config.users.map((user) => ({ ...user, user: { token } })),
  });
}
