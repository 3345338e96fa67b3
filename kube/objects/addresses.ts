import { z } from 'zod';
import { maybe, maybeText, orEmpty } from '../../api/meta/lenient.ts';
import { DATA_FINALIZER } from '../../api/metal3data/kind.ts';
import type { PoolAddress } from '../../domain/data/facts.ts';
import type { AddressClaimFacts } from '../../domain/data/objects.ts';
import { once } from '../once.ts';
import { metadata, reference } from './metadata.ts';

const addressClaim = z.object({
  metadata,
  status: orEmpty({ address: reference, addressRef: reference, errorMessage: maybeText }),
});

/** An IPClaim of Metal3 (`status.address`) or an IPAddressClaim of Cluster API (`status.addressRef`). */
export const readAddressClaim = once((object): AddressClaimFacts => {
  const { metadata, status } = addressClaim.parse(object);
  const { name, deletionTimestamp, ownerReferences, finalizers } = metadata;
  return {
    name,
    deleting: deletionTimestamp !== undefined,
    owners: ownerReferences.map(({ uid }) => uid),
    held: finalizers.includes(DATA_FINALIZER),
    address: (status.address ?? status.addressRef)?.name || undefined,
    errorMessage: status.errorMessage,
  };
});

const address = z.object({
  spec: z.object({
    address: z.string(),
    prefix: z.number().int().optional(),
    gateway: z.string().optional(),
    dnsServers: z.array(z.string()).optional(),
  }),
});

/** An IPAddress of Metal3; without a prefix its prefix is 0. */
export const readMetal3Address = once((object): PoolAddress => ({ prefix: 0, ...address.parse(object).spec }));

/** An IPAddress of Cluster API; it has no name servers. */
export const readClusterAddress = once((object): PoolAddress => address.parse(object).spec);

const claimReference = maybe(z.object({ name: maybeText }));
const claimed = z.object({ spec: orEmpty({ claim: claimReference, claimRef: claimReference }) });

/** Name of the claim that an IPAddress of either group was allocated for. */
export const claimOfAddress = once((object): string | undefined => {
  const { claim, claimRef } = claimed.parse(object).spec;
  return (claim ?? claimRef)?.name;
});
