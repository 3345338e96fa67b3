export type BinaryName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'temporal';

export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** One file of an official release, with where its checksum is published. */
export interface Download {
  readonly url: string;
  readonly checksumUrl: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** Path of the program within an archive; without it the file itself is the program. */
  readonly member?: string;
}

/** A package of a module whose exact dependencies are committed under `go/<module>`. */
interface GoBuild {
  readonly module: string;
  readonly package: string;
  readonly ldflags: string;
}

export interface Binary {
  readonly name: BinaryName;
  /** Environment variable with the path of one to use instead, of whatever version. */
  readonly variable: string;
  readonly version: string;
  readonly versionArgs: readonly string[];
  /** Finds the version in what the program prints of itself. */
  readonly versionPattern: RegExp;
  /** Whether one found in PATH will do. */
  accepts(version: string): boolean;
  /** Undefined where no official build for the platform exists. */
  download(platform: Platform): Download | undefined;
  readonly build: GoBuild;
}

/** Where releases come from; a mirror with the same paths may stand in. */
export interface Mirrors {
  readonly kubernetes: string;
  readonly github: string;
}

export const officialMirrors = (env: NodeJS.ProcessEnv): Mirrors => ({
  kubernetes: env['TEMPER_KUBERNETES_MIRROR'] ?? 'https://dl.k8s.io/release',
  github: env['TEMPER_GITHUB_MIRROR'] ?? 'https://github.com',
});

const ETCD = '3.6.8';
const KUBERNETES = '1.34.4';
const TEMPORAL = '1.5.1';

export function catalog(mirrors: Mirrors): Readonly<Record<BinaryName, Binary>> {
  return {
    etcd: etcd(mirrors),
    'kube-apiserver': kubernetesServer('kube-apiserver', mirrors),
    'kube-controller-manager': kubernetesServer('kube-controller-manager', mirrors),
    kubectl: kubectl(mirrors),
    temporal: temporal(mirrors),
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

function kubernetesServer(name: 'kube-apiserver' | 'kube-controller-manager', mirrors: Mirrors): Binary {
  return {
    name,
    variable: `TEMPER_${name.toUpperCase().replaceAll('-', '_')}`,
    version: KUBERNETES,
    versionArgs: ['--version'],
    versionPattern: /Kubernetes v(\S+)/,
    // One minor for both: a controller manager must not be newer than its API server.
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

function kubernetesDownload(name: string, { os, arch }: Platform, { kubernetes }: Mirrors): Download {
  const url = `${kubernetes}/v${KUBERNETES}/bin/${os}/${arch}/${name}`;
  return { url, checksumUrl: `${url}.sha256`, algorithm: 'sha256' };
}

function kubernetesBuild(name: string): GoBuild {
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
      ldflags: `-s -w -X github.com/temporalio/cli/temporalcli.Version=${TEMPORAL}`,
    },
  };
}

const isBelow = (version: string, limit: string): boolean => compareVersions(version, limit) < 0;
const isAtLeast = (version: string, limit: string): boolean => compareVersions(version, limit) >= 0;

/** Compares the three numbers; what follows them (`-rc.1`, `+k3s1`) is left out. */
function compareVersions(a: string, b: string): number {
  const left = numbersOf(a);
  const right = numbersOf(b);
  const differing = left.findIndex((number, i) => number !== right[i]);
  return differing === -1 ? 0 : (left[differing] ?? 0) - (right[differing] ?? 0);
}

function numbersOf(version: string): readonly number[] {
  const [, ...parts] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return parts.length === 3 ? parts.map(Number) : [0, 0, 0];
}
