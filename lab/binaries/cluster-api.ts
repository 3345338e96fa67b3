import type { Binary, BinaryName, FileDownload, Mirrors } from './binary.ts';
import { isAtLeast, isBelow } from './versions.ts';

/** Version of the three managers, of clusterctl and of the manifests. */
export const CLUSTER_API = '1.14.2';

/** The differences between the managers: their image and their Go package. */
const MANAGERS = {
  'cluster-api-core-manager': { image: 'cluster-api-controller', package: 'core' },
  'kubeadm-bootstrap-manager': { image: 'kubeadm-bootstrap-controller', package: 'bootstrap/kubeadm' },
  'kubeadm-control-plane-manager': { image: 'kubeadm-control-plane-controller', package: 'controlplane/kubeadm' },
} as const satisfies Partial<Record<BinaryName, { image: string; package: string }>>;

export type ManagerName = keyof typeof MANAGERS;

export function manager(name: ManagerName, { registry }: Mirrors): Binary {
  const { image, package: folder } = MANAGERS[name];
  return {
    ...ofClusterApi(name, folder),
    // The program has no version option, but prints its version before it reads its kubeconfig.
    versionArgs: ['--kubeconfig=/nowhere'],
    versionPattern: /Version: v(\S+)/,
    // The program is released in images only.
    download: (platform) =>
      platform.os === 'linux'
        ? { registry, repository: `cluster-api/${image}`, tag: `v${CLUSTER_API}`, platform, member: 'manager' }
        : undefined,
  };
}

export function clusterctl(mirrors: Mirrors): Binary {
  return {
    ...ofClusterApi('clusterctl', 'cmd/clusterctl'),
    versionArgs: ['version', '--output=short'],
    versionPattern: /v(\d\S+)/,
    download: ({ os, arch }) => releaseFile(`clusterctl-${os}-${arch}`, mirrors),
  };
}

/** One file of the release; its checksum is in GitHub's description of the release. */
export const releaseFile = (file: string, { github, githubApi }: Mirrors): FileDownload => ({
  url: `${github}/kubernetes-sigs/cluster-api/releases/download/v${CLUSTER_API}/${file}`,
  checksumUrl: `${githubApi}/repos/kubernetes-sigs/cluster-api/releases/tags/v${CLUSTER_API}`,
  algorithm: 'sha256',
});

function ofClusterApi(
  name: BinaryName,
  folder: string,
): Pick<Binary, 'name' | 'variable' | 'version' | 'accepts' | 'build'> {
  const [major, minor] = CLUSTER_API.split('.');
  const stamp = { gitVersion: `v${CLUSTER_API}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(stamp).map(([key, value]) => `-X sigs.k8s.io/cluster-api/version.${key}=${value}`);
  return {
    name,
    variable: `TEMPER_${name.toUpperCase().replaceAll('-', '_')}`,
    version: CLUSTER_API,
    // The same minor version for all managers and the manifests.
    accepts: (version) => isAtLeast(version, '1.14.0') && isBelow(version, '1.15.0'),
    build: {
      module: 'cluster-api',
      package: `sigs.k8s.io/cluster-api/${folder}`,
      ldflags: ['-s -w', ...flags].join(' '),
    },
  };
}
