import { join } from 'node:path';
import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import { adminOf, type Pki } from './certificates.ts';

export interface KubeControllerManagerOptions {
  readonly binary: string;
  readonly dir: string;
  readonly pki: Pki;
  readonly port: number;
  readonly kubeconfig: string;
}

/**
 * Only the controllers that a bare API server needs: garbage collection, deletion of namespaces, and the `default`
 * ServiceAccount of each namespace.
 */
export function kubeControllerManager(options: KubeControllerManagerOptions): Service {
  const { binary, pki, port, kubeconfig } = options;
  return {
    name: 'kube-controller-manager',
    command: binary,
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--authentication-skip-lookup',
      '--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller',
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${pki.apiserver.cert}`,
      `--tls-private-key-file=${pki.apiserver.key}`,
      `--cert-dir=${join(options.dir, 'kube-controller-manager')}`,
    ],
    ready: (signal) => answers(`https://127.0.0.1:${port}/healthz`, signal, { tls: adminOf(pki) }),
  };
}
