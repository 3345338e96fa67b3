import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import type { CarriedHostStatus } from '../../domain/host/memory/host-record.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';
import { sealImage } from './sealed-urls.ts';

/** Workflows know URLs of images without the secrets in them. All URLs of a host are sealed with its uid. */
export const sealedSpec = (uid: string, spec: BareMetalHostSpec): BareMetalHostSpec =>
  spec.image === undefined ? spec : { ...spec, image: sealImage(uid, spec.image) };

export function sealedStatus<Status extends CarriedHostStatus>(uid: string, status: Status): Status {
  const { lastAttemptedImage: attempted, provisioning } = status;
  const { image } = provisioning;
  return {
    ...status,
    // Another controller, or an older version, may have written it.
    errorMessage: withoutUrlSecrets(status.errorMessage),
    ...(attempted !== undefined && { lastAttemptedImage: sealImage(uid, attempted) }),
    provisioning: { ...provisioning, ...(image !== undefined && { image: sealImage(uid, image) }) },
  };
}
