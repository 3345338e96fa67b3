export type BinaryName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kube-proxy'
  | 'kubeadm'
  | 'kubectl'
  | 'temporal'
  | 'clusterctl'
  | 'helm'
  | 'cluster-api-core-manager'
  | 'kubeadm-bootstrap-manager'
  | 'kubeadm-control-plane-manager';

export interface Platform {
  readonly os: string;
  readonly arch: string;
}

/** One file of an official release, and where its checksum is published. */
export interface FileDownload {
  readonly url: string;
  readonly checksumUrl: string;
  readonly algorithm: 'sha256' | 'sha512';
  /** Path of the program in an archive; without it the file itself is the program. */
  readonly member?: string;
}

/** A program that is published in a container image only. */
export interface ImageDownload {
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly platform: Platform;
  /** Path of the program in the image, without the leading slash. */
  readonly member: string;
}

export type Download = FileDownload | ImageDownload;

/** A package of a Go module whose exact dependencies are committed under `go/<module>`. */
interface GoBuild {
  readonly module: string;
  readonly package: string;
  readonly ldflags: string;
  /** Version of the program that is built, when the modules of the release itself cannot be built. */
  readonly version?: string;
}

export interface Binary {
  readonly name: BinaryName;
  /** Environment variable with the path of a program to use instead, of any version. */
  readonly variable: string;
  readonly version: string;
  readonly versionArgs: readonly string[];
  /** Finds the version in the output of the program. */
  readonly versionPattern: RegExp;
  /** Whether a program found in PATH can be used. */
  accepts(version: string): boolean;
  /** Undefined for platforms without an official build. */
  download(platform: Platform): Download | undefined;
  readonly build: GoBuild;
}

/** Servers of releases; a mirror with the same paths can replace them. */
export interface Mirrors {
  readonly kubernetes: string;
  readonly github: string;
  /** API that returns the checksums of a release's files. */
  readonly githubApi: string;
  readonly registry: string;
  readonly helm: string;
}

export const officialMirrors = (env: NodeJS.ProcessEnv): Mirrors => ({
  kubernetes: env['TEMPER_KUBERNETES_MIRROR'] ?? 'https://dl.k8s.io/release',
  github: env['TEMPER_GITHUB_MIRROR'] ?? 'https://github.com',
  githubApi: env['TEMPER_GITHUB_API_MIRROR'] ?? 'https://api.github.com',
  registry: env['TEMPER_REGISTRY_MIRROR'] ?? 'https://registry.k8s.io',
  helm: env['TEMPER_HELM_MIRROR'] ?? 'https://get.helm.sh',
});
