import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import { type AuditOptions, auditArgs } from './audit.ts';
import { adminOf, type Pki } from './certificates.ts';
import { etcdUrl } from './etcd.ts';

export interface KubeApiserverOptions {
  readonly binary: string;
  readonly dir: string;
  readonly pki: Pki;
  readonly port: number;
  readonly etcdPort: number;
  /** False: old versions are forgotten after five minutes. */
  readonly keepsVersions: boolean;
  readonly audit?: AuditOptions;
}

export const apiserverUrl = (port: number): string => `https://127.0.0.1:${port}`;

/** A bare API server: no Nodes, no scheduler, no aggregation, everything else as in a cluster. */
export function kubeApiserver({
  binary,
  dir,
  pki,
  port,
  etcdPort,
  keepsVersions,
  audit,
}: KubeApiserverOptions): Service {
  return {
    name: 'kube-apiserver',
    command: binary,
    args: [
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${port}`,
      `--etcd-servers=${etcdUrl(etcdPort)}`,
      `--etcd-cafile=${pki.ca}`,
      `--etcd-certfile=${pki.apiserver.cert}`,
      `--etcd-keyfile=${pki.apiserver.key}`,
      `--tls-cert-file=${pki.apiserver.cert}`,
      `--tls-private-key-file=${pki.apiserver.key}`,
      `--client-ca-file=${pki.ca}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${pki.serviceAccountPublicKey}`,
      `--service-account-signing-key-file=${pki.serviceAccountKey}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      // There is no Node that could reach the API through its Service, and a loopback endpoint is refused.
      '--endpoint-reconciler-type=none',
      '--watch-cache=true',
      ...(keepsVersions ? ['--etcd-compaction-interval=0'] : []),
      ...auditArgs(dir, audit),
    ],
    ready: (signal) => answers(`${apiserverUrl(port)}/readyz`, signal, { tls: adminOf(pki) }),
  };
}
