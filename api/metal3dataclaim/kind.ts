import { INFRASTRUCTURE } from '../groups.ts';
import { type Kind, READ_IN_CACHE } from '../kind.ts';
import { MACHINE_FINALIZER } from '../metal3machine/kind.ts';

/** On a Metal3DataClaim and on the Metal3Data created for it. */
export const DATA_CLAIM_FINALIZER = 'metal3dataclaim.infrastructure.cluster.x-k8s.io';

export const metal3DataClaim = {
  kind: 'Metal3DataClaim',
  ...INFRASTRUCTURE,
  plural: 'metal3dataclaims',
  finalizers: [MACHINE_FINALIZER, DATA_CLAIM_FINALIZER],
  rights: { bridge: READ_IN_CACHE, workers: { object: ['create', 'delete', 'get', 'patch'], status: ['patch'] } },
} as const satisfies Kind;
