import { stringify } from 'yaml';

/** PEM: the CA to trust, and either a token or a certificate with its key. */
export interface ApiAccess {
  readonly server: string;
  readonly ca: string;
  readonly user: { readonly token: string } | { readonly cert: string; readonly key: string };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A self-contained kubeconfig. */
export function kubeconfigText({ server, ca, user }: ApiAccess, name: string): string {
  const credentials =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': base64(user.cert), 'client-key-data': base64(user.key) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
