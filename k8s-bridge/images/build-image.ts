import { markSecret, readSecret } from '../../activities/kubernetes/secrets.ts';
import { IMAGE_FINALIZERS } from '../../api/preprovisioningimage/values.ts';
import { nextStatus } from '../../domain/preprovisioning/build.ts';
import type { AgentUrls } from '../../domain/preprovisioning/urls.ts';
import type { Kube } from '../../kube/client.ts';
import { mergePatch } from '../../kube/merge-patch.ts';
import { type PreprovisioningImageRead, readPreprovisioningImage } from '../../kube/objects/preprovisioningimage.ts';
import { imagePath } from '../../kube/paths.ts';
import { nameOf } from '../../kube/reflector.ts';
import { unlessGone } from '../../kube/remove.ts';

/**
 * Fills in PreprovisioningImages from the operator's ready-made images, with one write per call; the watch then
 * triggers the next call. A missing Secret is shown and not polled, because it is watched too. A conflict is thrown,
 * and the image is reconciled again.
 */
export function createBuildImage(deps: {
  readonly kube: Kube;
  readonly urls: AgentUrls;
  readonly now: () => number;
}): (key: string) => Promise<void> {
  const { kube, urls, now } = deps;

  const withFinalizers = async (
    { metadata }: PreprovisioningImageRead,
    finalizers: readonly string[],
  ): Promise<void> => {
    const { resourceVersion } = metadata;
    await kube.patch(imagePath(metadata), { metadata: { resourceVersion, finalizers } });
  };

  /** Marks the Secret before its version is read, because marking changes the version; null when it does not exist. */
  const networkDataVersion = async ({ metadata, spec }: PreprovisioningImageRead): Promise<string | null> => {
    if (!spec.networkDataName) return null;
    const found = await readSecret(kube, { namespace: metadata.namespace, name: spec.networkDataName });
    if (found === undefined) return null;
    const { secret } = await markSecret(kube, found, { hold: false });
    return secret.metadata.resourceVersion;
  };

  const build = async (key: string): Promise<void> => {
    const found = await kube.find(imagePath(nameOf(key)));
    if (found === undefined) return;
    const image = readPreprovisioningImage(found);
    const { finalizers, deletionTimestamp, generation, resourceVersion } = image.metadata;
    const isHeld = finalizers.includes(IMAGE_FINALIZERS.builder);
    if (deletionTimestamp !== undefined) {
      // While other controllers have finalizers on the image, a server may still boot it.
      if (isHeld && finalizers.length === 1) await withFinalizers(image, []);
      return;
    }
    if (!isHeld) return withFinalizers(image, [...finalizers, IMAGE_FINALIZERS.builder]);
    const { spec, status } = image;
    const wanted = nextStatus(
      { generation, spec, status, networkDataVersion: await networkDataVersion(image) },
      urls,
      now(),
    );
    const patch = mergePatch(status, wanted);
    if (patch === undefined) return;
    await kube.patch(`${imagePath(image.metadata)}/status`, { metadata: { resourceVersion }, status: patch });
  };

  // The image may have been deleted in the meantime.
  return (key) => build(key).catch(unlessGone);
}
