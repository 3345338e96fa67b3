import PQueue from 'p-queue';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';
import { createObject, createPaths, type ObjectPaths, patchObject, withKube } from '../control-plane/objects.ts';
import { isHost, type StoryManifest } from './manifests.ts';

interface HostWithAddress extends StoryManifest {
  readonly spec?: { readonly bmc?: { readonly address?: string } };
}

export interface Applied {
  readonly created: readonly string[];
  readonly kept: readonly string[];
}

/** Creates missing objects. Existing ones, from an earlier start or changed by people, are left unchanged. */
export const createMissing = (kubeconfig: string, manifests: readonly StoryManifest[]): Promise<Applied> =>
  withKube(kubeconfig, async (kube) => {
    const pathsOf = createPaths(kube);
    const queue = new PQueue({ concurrency: 10 });
    const created: string[] = [];
    const kept: string[] = [];
    // Secrets are created first: a host needs its credentials, and a control plane its etcd certificates.
    for (const some of [manifests.filter(isSecret), manifests.filter((one) => !isSecret(one))]) {
      await queue.addAll(
        some.map((manifest) => async () => {
          const isNew = await createOne(kube, await pathsOf(manifest), withNamespace(manifest));
          (isNew ? created : kept).push(`${manifest.kind}/${manifest.metadata.name}`);
        }),
      );
    }
    return { created, kept };
  });

async function createOne(kube: Kube, paths: ObjectPaths, manifest: StoryManifest): Promise<boolean> {
  try {
    await createObject(kube, paths.collection, withLastApplied(manifest));
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  if (isHost(manifest)) await followMovedBmc(kube, paths.object, manifest);
  return false;
}

/** When a lab had to use another port, the BMC addresses of its hosts are changed. */
async function followMovedBmc(kube: Kube, path: string, manifest: HostWithAddress): Promise<void> {
  const wanted = manifest.spec?.bmc?.address;
  const current = ((await kube.request({ path })) as HostWithAddress).spec?.bmc?.address;
  if (wanted === undefined || current === undefined || wanted === current) return;
  if (withoutPort(wanted) !== withoutPort(current)) return;
  await patchObject(kube, path, { spec: { bmc: { address: wanted } } });
}

const isSecret = ({ kind }: StoryManifest): boolean => kind === 'Secret';

const withoutPort = (address: string): string => address.replace(/:\d+\//, '/');

const withNamespace = (manifest: StoryManifest): StoryManifest => ({
  ...manifest,
  metadata: { namespace: 'default', ...manifest.metadata },
});

/**
 * Sets the annotation that kubectl sets, so that a later `kubectl apply` of the same file knows which fields it may
 * remove, and warns about nothing. The content of Secrets is left out.
 */
function withLastApplied(manifest: StoryManifest): StoryManifest {
  const shown = isSecret(manifest) ? { ...manifest, data: undefined, stringData: undefined } : manifest;
  const lastApplied = `${JSON.stringify(shown)}\n`;
  const annotations = {
    ...manifest.metadata.annotations,
    'kubectl.kubernetes.io/last-applied-configuration': lastApplied,
  };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } } as StoryManifest;
}
