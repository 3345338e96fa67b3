import { readFileSync, writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Pki } from './certificates.ts';

/** Writes a self-contained kubeconfig with all rights in the lab. */
export function writeKubeconfig(path: string, server: string, pki: Pki): void {
  const base64 = (file: string): string => readFileSync(file).toString('base64');
  const name = 'temper-lab';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(pki.ca) } }],
    users: [
      {
        name,
        user: {
          'client-certificate-data': base64(pki.admin.cert),
          'client-key-data': base64(pki.admin.key),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  writeFileSync(path, stringify(config), { mode: 0o600 });
}
