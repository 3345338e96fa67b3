import { KubeConfig, KubernetesObjectApi, PatchStrategy } from '@kubernetes/client-node';
import PQueue from 'p-queue';
import { isHost, type Manifest } from './manifests.ts';

interface HostWithAddress extends Manifest {
  readonly spec?: { readonly bmc?: { readonly address?: string } };
}

export interface Applied {
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/** Creates missing objects. Existing ones, from an earlier start or changed by people, are left unchanged. */
export async function createMissing(kubeconfig: string, manifests: readonly Manifest[]): Promise<Applied> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const api = KubernetesObjectApi.makeApiClient(config);
  const queue = new PQueue({ concurrency: 10 });
  const created: string[] = [];
  const kept: string[] = [];
  // Secrets first: a host needs its credentials, and a control plane its etcd certificates.
  for (const some of [manifests.filter(isSecret), manifests.filter((one) => !isSecret(one))]) {
    await queue.addAll(
      some.map((manifest) => async () => {
        const isNew = await createOne(api, withNamespace(manifest));
        (isNew ? created : kept).push(`${manifest.kind}/${manifest.metadata.name}`);
      }),
    );
  }
  return { created, kept };
}

async function createOne(api: KubernetesObjectApi, manifest: Manifest): Promise<boolean> {
  try {
    await api.create(isSecret(manifest) ? manifest : withLastApplied(manifest), undefined, undefined, 'temper-lab');
    return true;
  } catch (error) {
    if (!isConflict(error)) {
      const { kind, metadata } = manifest;
      throw new Error(`creating ${kind} ${metadata.name}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }
  if (isHost(manifest)) await followMovedBmc(api, manifest);
  return false;
}

/** When a lab had to use another port, the BMC addresses of its hosts are changed. */
async function followMovedBmc(api: KubernetesObjectApi, manifest: HostWithAddress): Promise<void> {
  const { apiVersion, kind, metadata } = manifest;
  const wanted = manifest.spec?.bmc?.address;
  const current = (await api.read<HostWithAddress>({ apiVersion, kind, metadata })).spec?.bmc?.address;
  if (wanted === undefined || current === undefined || wanted === current) return;
  if (withoutPort(wanted) !== withoutPort(current)) return;
  const patch = { apiVersion, kind, metadata, spec: { bmc: { address: wanted } } };
  await api.patch(patch, undefined, undefined, 'temper-lab', undefined, PatchStrategy.MergePatch);
}

const isSecret = ({ kind }: Manifest): boolean => kind === 'Secret';

const withoutPort = (address: string): string => address.replace(/:\d+\//, '/');

const withNamespace = (manifest: Manifest): Manifest => ({
  ...manifest,
  metadata: { namespace: 'default', ...manifest.metadata },
});

/**
 * Sets the annotation that kubectl sets, so that a later `kubectl apply` of the same file knows which fields it may
 * remove. Not for Secrets.
 */
function withLastApplied(manifest: Manifest): Manifest {
  const lastApplied = `${JSON.stringify(manifest)}\n`;
  const annotations = {
    ...manifest.metadata.annotations,
    'kubectl.kubernetes.io/last-applied-configuration': lastApplied,
  };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } } as Manifest;
}

const isConflict = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 409;
