import { join } from 'node:path';
import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import { adminOf, type Pki } from './certificates.ts';

export interface EtcdOptions {
  readonly binary: string;
  readonly dir: string;
  readonly pki: Pki;
  readonly port: number;
  readonly peerPort: number;
}

export const etcdUrl = (port: number): string => `https://127.0.0.1:${port}`;

/**
 * etcd runs without fsync: a lab may lose its last second when the computer crashes, but not when a process is killed.
 */
export function etcd({ binary, dir, pki, port, peerPort }: EtcdOptions): Service {
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  return {
    name: 'etcd',
    command: binary,
    args: [
      '--name=lab',
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${etcdUrl(port)}`,
      `--advertise-client-urls=${etcdUrl(port)}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=lab=${peerUrl}`,
      `--cert-file=${pki.etcd.cert}`,
      `--key-file=${pki.etcd.key}`,
      `--trusted-ca-file=${pki.ca}`,
      '--client-cert-auth',
      '--unsafe-no-fsync',
      '--auto-compaction-mode=periodic',
      '--auto-compaction-retention=10m',
      '--log-level=warn',
    ],
    ready: (signal) => answers(`${etcdUrl(port)}/health`, signal, { tls: adminOf(pki) }),
  };
}
