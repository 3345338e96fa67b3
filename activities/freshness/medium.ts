import type { HostRequest } from '../../domain/host/desired/asked-now.ts';
import { type AgentImage, builtImage } from '../../domain/preprovisioning/image.ts';
import { same } from '../../domain/same.ts';
import type { Kube } from '../../kube/client.ts';
import { readDataImage } from '../../kube/objects/dataimage.ts';
import { readPreprovisioningImage } from '../../kube/objects/preprovisioningimage.ts';
import { sealUrl } from '../../kube/objects/sealed-urls.ts';
import { dataImagePath, imagePath } from '../../kube/paths.ts';

/** Why the virtual drive of a server must not be changed as ordered; undefined when its DataImage asks for that. */
export async function otherMedium(kube: Pick<Kube, 'find'>, request: HostRequest): Promise<string | undefined> {
  if (request.name !== 'media') return undefined;
  const { host, desired, requested: before } = request.order;
  // After its insertion a medium is only looked for: whatever is asked now, it has to be known that it is there.
  if (desired === null || (desired !== '' && before === 'attach')) return undefined;
  const found = await kube.find(dataImagePath(host));
  return sealUrl(host.uid, desired) === sealUrl(host.uid, asked(found))
    ? undefined
    : 'its DataImage asks for another medium';
}

/** '' for none. */
function asked(found: unknown): string {
  if (found === undefined) return '';
  const { metadata, spec } = readDataImage(found);
  return metadata.deletionTimestamp === undefined ? spec.url : '';
}

/**
 * Why a registration must not give the server the image of the deploy agent in its order; undefined when it may. The
 * image is compared and not replaced: the workflow remembers which image Ironic has.
 */
export async function otherAgentImage(kube: Pick<Kube, 'find'>, request: HostRequest): Promise<string | undefined> {
  if (request.name !== 'register') return undefined;
  const { host, agentImage } = request.order;
  if (agentImage?.image == null) return undefined;
  const found = await kube.find(imagePath(host));
  const built = found === undefined ? undefined : builtImage(readPreprovisioningImage(found).status);
  return built !== undefined && same(sealed(host.uid, built), sealed(host.uid, agentImage.image))
    ? undefined
    : 'its PreprovisioningImage has another image';
}

/** Workflows know URLs without the secrets in them. Runs that are older than sealed URLs know them with these. */
const sealed = (uid: string, { url, kernelUrl, ...image }: AgentImage): AgentImage => ({
  ...image,
  url: sealUrl(uid, url),
  ...(kernelUrl !== undefined && { kernelUrl: sealUrl(uid, kernelUrl) }),
});
