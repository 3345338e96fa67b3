import type { BinaryName } from '../lab/binaries/binary.ts';
import { createPrograms } from '../lab/binaries/programs.ts';
import { ensureVenv } from '../lab/ironic/venv.ts';

/** What the labs of `npm test` start. */
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
 * Gets the servers that are not in the cache, by download or build, so that no time limit of a test has minutes of
 * building in it. Reports what takes long; throws what the first failed one said.
 */
export async function getServers(report: (message: string) => void): Promise<void> {
  const programs = createPrograms(({ step, kind, detail }) => {
    if (kind === 'detail') report(`${step}: ${detail}`);
  });
  // One after the other: a build uses all cores.
  for (const name of PROGRAMS) await programs(name);
  await ensureVenv(report);
}
