import type { BinaryName } from '../lab/binaries/binary.ts';
import { createPrograms } from '../lab/binaries/programs.ts';
import { ensureVenv } from '../lab/ironic/venv.ts';

/** The programs that the labs of `npm test` start. */
const PROGRAMS: readonly BinaryName[] = [
  'temporal',
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
  'kubeadm',
  'cluster-api-core-manager',
  'kubeadm-bootstrap-manager',
  'kubeadm-control-plane-manager',
];

/**
 * Downloads or builds the servers that are not in the cache, so that no test has to do it within its time limit.
 * Reports work that takes long; throws the error of the first server that failed.
 */
export async function getServers(report: (message: string) => void): Promise<void> {
  const programs = createPrograms(({ step, kind, detail }) => {
    if (kind === 'detail') report(`${step}: ${detail}`);
  });
  // One after the other: a build uses all cores.
  for (const name of PROGRAMS) await programs(name);
  await ensureVenv(report);
}
