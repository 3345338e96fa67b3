import type { HostRequest } from '../../domain/host/desired/asked-now.ts';
import type { Kube } from '../../kube/client.ts';
import { readDataImage } from '../../kube/objects/dataimage.ts';
import { sealUrl } from '../../kube/objects/sealed-urls.ts';
import { dataImagePath } from '../../kube/paths.ts';

/** Why the virtual drive of a server must not be changed as ordered; undefined when its DataImage asks for that. */
export async function otherMedium(kube: Pick<Kube, 'find'>, request: HostRequest): Promise<string | undefined> {
  if (request.name !== 'media') return undefined;
  const { host, wanted, asked: before } = request.order;
  // After its insertion a medium is only looked for: whatever is asked now, it has to be known that it is there.
  if (wanted === null || (wanted !== '' && before === 'attach')) return undefined;
  const found = await kube.find(dataImagePath(host));
  return sealUrl(host.uid, wanted) === sealUrl(host.uid, asked(found))
    ? undefined
    : 'its DataImage asks for another medium';
}

/** '' for none. */
function asked(found: unknown): string {
  if (found === undefined) return '';
  const { metadata, spec } = readDataImage(found);
  return metadata.deletionTimestamp === undefined ? spec.url : '';
}
