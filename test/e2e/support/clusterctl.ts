import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { goSources } from '../../../lab/binaries/build.ts';
import { CLUSTER_API } from '../../../lab/binaries/cluster-api.ts';
import { clusterApiComponents } from '../../../lab/binaries/components.ts';
import { createResolver } from '../../../lab/binaries/resolve.ts';
import { MANAGERS } from '../../../lab/cluster-api/cluster-api.ts';
import { linkCheckout } from './checkout.ts';
import { ROOT } from './start.ts';
import { blockOf } from './versions/procedure.ts';

/** The real clusterctl with all providers in local folders. */

/** The version that clusterctl would install; the lab only has its CRDs, which is all that clusterctl checks. */
const CERT_MANAGER = 'v1.21.1';

/** Releases of our provider in the repository. */
export const VERSIONS = { installed: 'v1.14.99', next: 'v1.14.100' } as const;
/** The image of the first of them, as docs/clusterctl.md names it. */
export const IMAGE = 'registry.example.com/temper:1.14.99';

const resolveBinary = createResolver();
const PAGE = 'docs/clusterctl.md';
/** The blocks of the page that write the repositories, by their beginnings. */
const REPOSITORIES = ['npm run package', 'cat >> dist/clusterctl.yaml'];

export interface Clusterctl {
  /** Returns its output; throws with all of its output. */
  (kubeconfig: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs the block of docs/clusterctl.md that begins so, with these variables of its shell. */
  page(kubeconfig: string, begin: string, variables?: Readonly<Record<string, string>>): Promise<string>;
  /** Adds the next release of our providers to the repositories. */
  releaseNext(): Promise<void>;
}

/**
 * Writes repositories of all providers below this folder, as docs/clusterctl.md says for computers without a network:
 * ours with `npm run package`, the others as released. `ran` is given the commands of the page that succeeded.
 */
export async function aClusterctl(
  folder: string,
  repositories = REPOSITORIES,
  ran: (commands: string) => void = () => undefined,
): Promise<Clusterctl> {
  const bin = join(folder, 'bin');
  const releases = join(folder, 'releases');
  const checkout = await linkCheckout(ROOT, folder);
  const [{ path }] = await Promise.all([
    resolveBinary('clusterctl'),
    mkdir(bin),
    releaseClusterApi(releases),
    releaseCertManager(releases),
  ]);
  await symlink(path, join(bin, 'clusterctl'));
  const shell = async (begin: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const commands = await blockOf(PAGE, begin);
    const options = { cwd: checkout, all: true, stdin: 'ignore' } as const;
    const ours = { PATH: `${bin}${delimiter}${process.env['PATH']}`, releases };
    const { all } = await execa('bash', ['--norc', '-euc', commands], { ...options, env: { ...ours, ...env } });
    ran(commands);
    return all;
  };
  for (const block of repositories) await shell(block, {});
  const dist = join(checkout, 'dist');
  const offline = { CLUSTERCTL_DISABLE_VERSIONCHECK: 'true', GOPROXY: 'off', HOME: folder, XDG_CONFIG_HOME: folder };
  const run = async (kubeconfig: string, args: readonly string[], env = {}): Promise<string> => {
    const config = join(dist, 'clusterctl.yaml');
    // Not every command has the flag for it.
    const options = { env: { ...offline, KUBECONFIG: kubeconfig, ...env } };
    return (await execa(path, ['--config', config, ...args], options)).stdout;
  };
  return Object.assign(run, {
    page: (kubeconfig: string, begin: string, variables = {}) =>
      shell(begin, { ...offline, KUBECONFIG: kubeconfig, ...variables }),
    releaseNext: () => releaseNext(folder, dist),
  });
}

/** Folder of the release of our infrastructure provider that is installed. */
const releaseFolder = (folder: string): string =>
  join(folder, 'temper', 'dist', 'infrastructure-metal3', VERSIONS.installed);

async function releaseNext(folder: string, dist: string): Promise<void> {
  const later = join(folder, 'later');
  const args = ['--folder', later, '--version', VERSIONS.next, '--image', IMAGE];
  await execa(process.execPath, [join(ROOT, 'scripts/package.ts'), ...args]);
  for (const provider of ['infrastructure-metal3', 'ipam-metal3']) {
    const release = join(provider, VERSIONS.next);
    await cp(join(later, release), join(dist, release), { recursive: true });
  }
}

async function releaseClusterApi(folder: string): Promise<void> {
  const kubectl = async (): Promise<string> => (await resolveBinary('kubectl')).path;
  const { folder: manifests } = await clusterApiComponents({ kubectl });
  for (const { provider, manifests: file } of MANAGERS) {
    const release = join(folder, provider, `v${CLUSTER_API}`);
    await mkdir(release, { recursive: true });
    for (const name of [file, 'metadata.yaml']) await cp(join(manifests, name), join(release, name));
  }
}

async function releaseCertManager(folder: string): Promise<void> {
  const module = await goSources(`github.com/cert-manager/cert-manager@${CERT_MANAGER}`, process.env);
  const crds = join(module, 'deploy', 'crds');
  const files = (await readdir(crds)).filter((name) => name.endsWith('.yaml'));
  const release = join(folder, 'cert-manager', CERT_MANAGER);
  await mkdir(release, { recursive: true });
  const texts = await Promise.all(files.map((name) => readFile(join(crds, name), 'utf8')));
  await writeFile(join(release, 'cert-manager.yaml'), texts.join('\n---\n'));
}

/** The variables of a shell that has read the release's file of example variables. */
export async function exampleVariables(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = join(releaseFolder(folder), 'example_variables.rc');
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
