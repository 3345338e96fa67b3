import { INFRASTRUCTURE } from '../groups.ts';
import { FOLLOWED_IN_CACHE, type Kind } from '../kind.ts';
import { DATA_CLAIM_FINALIZER } from '../metal3dataclaim/kind.ts';

/** On a Metal3Data and on the claims that it makes. */
export const DATA_FINALIZER = 'metal3data.infrastructure.cluster.x-k8s.io';

export const metal3Data = {
  kind: 'Metal3Data',
  ...INFRASTRUCTURE,
  plural: 'metal3datas',
  workflow: { type: 'dataWorkflow', controller: 'machines' },
  finalizers: [DATA_CLAIM_FINALIZER, DATA_FINALIZER],
  rights: { bridge: FOLLOWED_IN_CACHE, workers: { object: ['create', 'delete', 'get', 'patch'] } },
} as const satisfies Kind;
