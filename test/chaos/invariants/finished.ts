import { urlDigest } from '../../../lab/proxy/told.ts';
import type { Happening } from '../happenings.ts';

/** A deployment that the object of its host shows as done. */
export interface Finished {
  readonly host: string;
  /** Digest of the URL of its image. */
  readonly image: string;
}

export function finishedIn(happening: Happening): Finished | undefined {
  if (happening.kind !== 'stored' || happening.stored.resource !== 'baremetalhosts') return undefined;
  const { metadata, status } = happening.stored.object;
  const { state, image } = status?.provisioning ?? {};
  if (state !== 'provisioned' || image === undefined) return undefined;
  return { host: metadata.name, image: urlDigest(image.url) };
}
