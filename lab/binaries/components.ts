import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '../../domain/message-of.ts';
import { cacheFolder } from '../cache-folder.ts';
import { withLock } from '../supervisor/with-lock.ts';
import { type Mirrors, officialMirrors } from './binary.ts';
import { goSources } from './build.ts';
import { CLUSTER_API, releaseFile } from './cluster-api.ts';
import { downloadFile } from './download.ts';
import { withTransfer } from './transfer.ts';

/** The manifests of each manager, by file name in a release, with their path in the Go module. */
export const COMPONENTS = {
  'core-components.yaml': 'core/config/default',
  'bootstrap-components.yaml': 'bootstrap/kubeadm/config/default',
  'control-plane-components.yaml': 'controlplane/kubeadm/config/default',
} as const;

const METADATA = 'metadata.yaml';

export interface ComponentsOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly connectTimeoutMs?: number;
  /** Path of kubectl, which includes kustomize; needed only when the Go module is the source. */
  readonly kubectl: () => Promise<string>;
  readonly onProgress?: (detail: string) => void;
}

/** A folder with the released manifests of Cluster API: CRDs with their labels, webhooks, RBAC, Deployments. */
export interface ClusterApiComponents {
  readonly folder: string;
  readonly source: 'environment' | 'cache' | 'download' | 'Go module';
}

/**
 * Finds or gets the manifests, in this order: TEMPER_CLUSTER_API_COMPONENTS, the cache, the release, the pinned Go
 * module.
 */
export async function clusterApiComponents(options: ComponentsOptions): Promise<ClusterApiComponents> {
  const env = options.env ?? process.env;
  const tell = options.onProgress ?? (() => undefined);
  const given = env['TEMPER_CLUSTER_API_COMPONENTS'];
  if (given !== undefined && given !== '') {
    requireComplete(given, 'TEMPER_CLUSTER_API_COMPONENTS');
    return { folder: given, source: 'environment' };
  }
  const cache = join(cacheFolder(env), 'components');
  const folder = join(cache, `cluster-api-${CLUSTER_API}`);
  await mkdir(cache, { recursive: true });
  return withLock(`${folder}.lock`, tell, async () => {
    if (existsSync(folder)) return { folder, source: 'cache' };
    const fresh = await mkdtemp(join(cache, '.cluster-api-'));
    try {
      const source = await obtain(fresh, { ...options, env, tell });
      await rename(fresh, folder);
      return { folder, source };
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  });
}

type Obtaining = Omit<ComponentsOptions, 'env'> & {
  readonly env: NodeJS.ProcessEnv;
  readonly tell: (detail: string) => void;
};

async function obtain(folder: string, options: Obtaining): Promise<'download' | 'Go module'> {
  const refusals: string[] = [];
  try {
    await download(folder, officialMirrors(options.env), options);
    return 'download';
  } catch (error) {
    refusals.push(`download: ${messageOf(error)}`);
    options.tell(`${messageOf(error)}; taking them from the Go module instead`);
  }
  try {
    await takeFromModule(folder, options);
    return 'Go module';
  } catch (error) {
    refusals.push(`Go module: ${messageOf(error)}`);
  }
  const tries = refusals.map((refusal) => `  - ${refusal}`).join('\n');
  throw new Error(
    `no source had the manifests of Cluster API ${CLUSTER_API}:\n${tries}\n` +
      'Set TEMPER_CLUSTER_API_COMPONENTS to a folder with the manifests of its release.',
  );
}

async function download(folder: string, mirrors: Mirrors, { connectTimeoutMs, tell }: Obtaining): Promise<void> {
  const deps = {
    unreachable: new Map<string, string>(),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
  };
  await withTransfer(deps, tell, async (transfer) => {
    for (const file of [...Object.keys(COMPONENTS), METADATA]) {
      await downloadFile(releaseFile(file, mirrors), folder, transfer);
    }
  });
}

/**
 * Builds the manifests as upstream does for a release: kustomize over the folders of the module, which adds the
 * contract labels.
 */
async function takeFromModule(folder: string, { env, kubectl, tell }: Obtaining): Promise<void> {
  tell('taking them from the Go module');
  const module = await goSources(`sigs.k8s.io/cluster-api@v${CLUSTER_API}`, env);
  const program = await kubectl();
  for (const [file, source] of Object.entries(COMPONENTS)) {
    const made = await execa(program, ['kustomize', join(module, source)], { env, extendEnv: false });
    await writeFile(join(folder, file), `${made.stdout}\n`);
  }
  await copyFile(join(module, METADATA), join(folder, METADATA));
}

function requireComplete(folder: string, variable: string): void {
  const missing = Object.keys(COMPONENTS).filter((file) => !existsSync(join(folder, file)));
  if (missing.length > 0) throw new Error(`${variable} is ${folder}, which has no ${missing.join(', no ')}`);
}
