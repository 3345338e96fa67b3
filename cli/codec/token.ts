import { z } from 'zod';
import { renewedAccess } from '../../kube/access.ts';
import type { Kube } from '../../kube/client.ts';
import { KubeConfig } from '../../kube/kubeconfig.ts';
import type { Named } from '../../kube/paths.ts';
import { bearerToken } from '../../platform/bearer-token.ts';

/** Returns a token of Kubernetes that is still valid. */
export type TokenSource = () => Promise<string>;

const LIFETIME_S = 3_600;
const issued = z.object({ status: z.object({ token: z.string(), expirationTimestamp: z.coerce.date() }) });

/** Tokens of a service account, each for half its lifetime. */
export function tokensOfAccount(kube: Kube, { namespace, name }: Named, now: () => number = Date.now): TokenSource {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/serviceaccounts/${name}/token`;
  let token = '';
  let until = 0;
  return async () => {
    if (now() < until) return token;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: LIFETIME_S },
    };
    const { status } = issued.parse(await kube.request({ method: 'POST', path, body }));
    token = status.token;
    until = (now() + status.expirationTimestamp.getTime()) / 2;
    return token;
  };
}

/** The token with which the user of a kubeconfig asks the API server; of the file, or of the program that it names. */
export function tokenOfKubeconfig(kubeconfig: string | undefined): TokenSource {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromDefault();
  else config.loadFromFile(kubeconfig);
  const access = renewedAccess(config, config.getCurrentCluster()?.server ?? '');
  return async () => {
    const { headers } = await access.current();
    const token = bearerToken(headers['Authorization']);
    if (token === undefined)
      throw new Error('your kubeconfig has no token, which the codec server needs: name a service account (--account)');
    return token;
  };
}
