import type { Binary, BinaryName, Download, Mirrors, Platform } from './binary.ts';
import { clusterctl, manager } from './cluster-api.ts';
import { isAtLeast, isBelow } from './versions.ts';

const ETCD = '3.6.8';
const HELM = '3.22.0';
export const KUBERNETES = '1.34.4';
/**
 * The modules of this release cannot be built from the module proxy. The release and the build both have server 1.32
 * and Web UI 2.54.
 */
const TEMPORAL = '1.9.1';
const BUILT_TEMPORAL = '1.8.2';

export function catalog(mirrors: Mirrors): Readonly<Record<BinaryName, Binary>> {
  return {
    etcd: etcd(mirrors),
    'kube-apiserver': kubernetesServer('kube-apiserver', mirrors),
    'kube-controller-manager': kubernetesServer('kube-controller-manager', mirrors),
    'kube-scheduler': kubernetesServer('kube-scheduler', mirrors),
    kubelet: kubernetesServer('kubelet', mirrors),
    'kube-proxy': kubernetesServer('kube-proxy', mirrors),
    kubeadm: kubeadm(mirrors),
    kubectl: kubectl(mirrors),
    temporal: temporal(mirrors),
    clusterctl: clusterctl(mirrors),
    helm: helm(mirrors),
    'cluster-api-core-manager': manager('cluster-api-core-manager', mirrors),
    'kubeadm-bootstrap-manager': manager('kubeadm-bootstrap-manager', mirrors),
    'kubeadm-control-plane-manager': manager('kubeadm-control-plane-manager', mirrors),
  };
}

function etcd({ github }: Mirrors): Binary {
  return {
    name: 'etcd',
    variable: 'TEMPER_ETCD',
    version: ETCD,
    versionArgs: ['--version'],
    versionPattern: /etcd Version: (\S+)/,
    accepts: (version) => isAtLeast(version, '3.5.11') && isBelow(version, '4.0.0'),
    download: ({ os, arch }) => {
      const release = `${github}/etcd-io/etcd/releases/download/v${ETCD}`;
      const folder = `etcd-v${ETCD}-${os}-${arch}`;
      return {
        url: `${release}/${folder}.${os === 'darwin' ? 'zip' : 'tar.gz'}`,
        checksumUrl: `${release}/SHA256SUMS`,
        algorithm: 'sha256',
        member: `${folder}/etcd`,
      };
    },
    build: { module: 'etcd', package: 'go.etcd.io/etcd/server/v3', ldflags: '-s -w' },
  };
}

type KubernetesServer = 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kubelet' | 'kube-proxy';

function kubernetesServer(name: KubernetesServer, mirrors: Mirrors): Binary {
  return {
    name,
    variable: `TEMPER_${name.toUpperCase().replaceAll('-', '_')}`,
    version: KUBERNETES,
    versionArgs: ['--version'],
    versionPattern: /Kubernetes v(\S+)/,
    // The same minor version for all: none of the others may be newer than the API server.
    accepts: (version) => isAtLeast(version, '1.34.0') && isBelow(version, '1.35.0'),
    // Servers are released for Linux only.
    download: (platform) => (platform.os === 'linux' ? kubernetesDownload(name, platform, mirrors) : undefined),
    build: kubernetesBuild(name),
  };
}

function kubectl(mirrors: Mirrors): Binary {
  return {
    name: 'kubectl',
    variable: 'TEMPER_KUBECTL',
    version: KUBERNETES,
    versionArgs: ['version', '--client', '--output=json'],
    versionPattern: /"gitVersion": "v([^"]+)"/,
    accepts: (version) => isAtLeast(version, '1.31.0'),
    download: (platform) => kubernetesDownload('kubectl', platform, mirrors),
    build: kubernetesBuild('kubectl'),
  };
}

function kubeadm(mirrors: Mirrors): Binary {
  return {
    name: 'kubeadm',
    variable: 'TEMPER_KUBEADM',
    version: KUBERNETES,
    versionArgs: ['version', '--output=json'],
    versionPattern: /"gitVersion": "v([^"]+)"/,
    // kubeadm supports control planes of its own minor version and of the one before.
    accepts: (version) => isAtLeast(version, '1.34.0') && isBelow(version, '1.35.0'),
    // Released for Linux only.
    download: (platform) => (platform.os === 'linux' ? kubernetesDownload('kubeadm', platform, mirrors) : undefined),
    build: kubernetesBuild('kubeadm'),
  };
}

function kubernetesDownload(name: string, { os, arch }: Platform, { kubernetes }: Mirrors): Download {
  const url = `${kubernetes}/v${KUBERNETES}/bin/${os}/${arch}/${name}`;
  return { url, checksumUrl: `${url}.sha256`, algorithm: 'sha256' };
}

function kubernetesBuild(name: string): Binary['build'] {
  const [major, minor] = KUBERNETES.split('.');
  const stamp = { gitVersion: `v${KUBERNETES}`, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(stamp).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`);
  return { module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, ldflags: ['-s -w', ...flags].join(' ') };
}

function temporal({ github }: Mirrors): Binary {
  return {
    name: 'temporal',
    variable: 'TEMPER_TEMPORAL',
    version: TEMPORAL,
    versionArgs: ['--version'],
    versionPattern: /temporal version (\S+)/,
    accepts: (version) => isAtLeast(version, TEMPORAL) && isBelow(version, '2.0.0'),
    download: ({ os, arch }) => {
      const release = `${github}/temporalio/cli/releases/download/v${TEMPORAL}`;
      return {
        url: `${release}/temporal_cli_${TEMPORAL}_${os}_${arch}.tar.gz`,
        checksumUrl: `${release}/checksums.txt`,
        algorithm: 'sha256',
        member: 'temporal',
      };
    },
    build: {
      module: 'temporal',
      package: 'github.com/temporalio/cli/cmd/temporal',
      ldflags: `-s -w -X github.com/temporalio/cli/internal/temporalcli.Version=${BUILT_TEMPORAL}`,
      version: BUILT_TEMPORAL,
    },
  };
}

function helm({ helm: server }: Mirrors): Binary {
  return {
    name: 'helm',
    variable: 'TEMPER_HELM',
    version: HELM,
    versionArgs: ['version', '--template', '{{.Version}}'],
    versionPattern: /v(\S+)/,
    accepts: (version) => isAtLeast(version, '3.17.0') && isBelow(version, '4.0.0'),
    download: ({ os, arch }) => {
      const url = `${server}/helm-v${HELM}-${os}-${arch}.tar.gz`;
      return { url, checksumUrl: `${url}.sha256sum`, algorithm: 'sha256', member: `${os}-${arch}/helm` };
    },
    build: {
      module: 'helm',
      package: 'helm.sh/helm/v3/cmd/helm',
      ldflags: `-s -w -X helm.sh/helm/v3/internal/version.version=v${HELM}`,
    },
  };
}
