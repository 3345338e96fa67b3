import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { parse, stringify } from 'yaml';
import { goSources } from '../../../lab/binaries/build.ts';
import { CLUSTER_API } from '../../../lab/binaries/cluster-api.ts';
import { clusterApiComponents } from '../../../lab/binaries/components.ts';
import { createResolver } from '../../../lab/binaries/resolve.ts';
import { MANAGERS } from '../../../lab/cluster-api/cluster-api.ts';

/** The real clusterctl with all providers in local folders. */

/** The version that clusterctl would install; the lab only has its CRDs, which is all that clusterctl checks. */
const CERT_MANAGER = 'v1.21.1';

/** Releases of our provider in the repository. */
export const VERSIONS = { installed: 'v1.14.99', next: 'v1.14.100' } as const;

const resolveBinary = createResolver();
/** Cluster API's own providers by their folder names in clusterctl. */
const CLUSTER_API_PROVIDERS: Readonly<Record<string, Omit<Provider, 'url'>>> = {
  'cluster-api': { name: 'cluster-api', type: 'CoreProvider' },
  'bootstrap-kubeadm': { name: 'kubeadm', type: 'BootstrapProvider' },
  'control-plane-kubeadm': { name: 'kubeadm', type: 'ControlPlaneProvider' },
};

export interface Clusterctl {
  /** Returns its output; throws with all of its output. */
  (kubeconfig: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
}

/** Writes repositories of all providers to this folder: ours from `npm run package`, the others as released. */
export async function aClusterctl(folder: string): Promise<Clusterctl> {
  const [{ path }, ours, others, certManager] = await Promise.all([
    resolveBinary('clusterctl'),
    packageProvider(folder),
    releaseClusterApi(folder),
    releaseCertManager(folder),
  ]);
  const config = join(folder, 'all.yaml');
  await writeFile(config, stringify({ providers: [...ours, ...others], 'cert-manager': certManager }));
  return async (kubeconfig, args, env = {}) => {
    const { stdout } = await execa(path, ['--config', config, '--kubeconfig', kubeconfig, ...args], {
      env: { CLUSTERCTL_DISABLE_VERSIONCHECK: 'true', GOPROXY: 'off', HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    });
    return stdout;
  };
}

type Provider = Readonly<Record<'name' | 'type' | 'url', string>>;

async function packageProvider(folder: string): Promise<readonly Provider[]> {
  const program = join(import.meta.dirname, '../../../scripts/package.ts');
  const write = (into: string, version: string) =>
    execa(process.execPath, [program, '--folder', into, '--version', version]);
  const later = join(folder, 'later');
  await Promise.all([write(folder, VERSIONS.installed), write(later, VERSIONS.next)]);
  for (const provider of ['infrastructure-metal3', 'ipam-metal3']) {
    const release = join(provider, VERSIONS.next);
    await cp(join(later, release), join(folder, release), { recursive: true });
  }
  const { providers } = parse(await readFile(join(folder, 'clusterctl.yaml'), 'utf8')) as { providers: Provider[] };
  return providers;
}

async function releaseClusterApi(folder: string): Promise<readonly Provider[]> {
  const kubectl = async (): Promise<string> => (await resolveBinary('kubectl')).path;
  const { folder: manifests } = await clusterApiComponents({ kubectl });
  return Promise.all(
    MANAGERS.map(async ({ provider, manifests: file }) => {
      const release = join(folder, provider, `v${CLUSTER_API}`);
      await mkdir(release, { recursive: true });
      for (const name of [file, 'metadata.yaml']) await cp(join(manifests, name), join(release, name));
      return { ...providerNamed(provider), url: resolve(release, file) };
    }),
  );
}

function providerNamed(provider: string): Omit<Provider, 'url'> {
  const found = CLUSTER_API_PROVIDERS[provider];
  if (found === undefined) throw new Error(`clusterctl knows no provider ${provider}`);
  return found;
}

async function releaseCertManager(folder: string): Promise<Readonly<Record<'url' | 'version', string>>> {
  const module = await goSources(`github.com/cert-manager/cert-manager@${CERT_MANAGER}`, process.env);
  const crds = join(module, 'deploy', 'crds');
  const files = (await readdir(crds)).filter((name) => name.endsWith('.yaml'));
  const release = join(folder, 'cert-manager', CERT_MANAGER);
  const url = join(release, 'cert-manager.yaml');
  await mkdir(release, { recursive: true });
  const texts = await Promise.all(files.map((name) => readFile(join(crds, name), 'utf8')));
  await writeFile(url, texts.join('\n---\n'));
  return { url: resolve(url), version: CERT_MANAGER };
}

/** The variables of a shell that has read the release's file of example variables. */
export async function exampleVariables(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = join(folder, 'infrastructure-metal3', VERSIONS.installed, 'example_variables.rc');
  const { stdout } = await execa('sh', ['-c', '. "$1" && env -0', 'sh', file], { extendEnv: false });
  return Object.fromEntries(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((line) => {
        const at = line.indexOf('=');
        return [line.slice(0, at), line.slice(at + 1)];
      }),
  );
}
