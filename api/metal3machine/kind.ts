import { INFRASTRUCTURE } from '../groups.ts';
import { FOLLOWED_IN_CACHE, type Kind, READ_IN_CACHE } from '../kind.ts';

/** On a Metal3Machine and on the Metal3DataClaim that it makes. */
export const MACHINE_FINALIZER = 'metal3machine.infrastructure.cluster.x-k8s.io';

export const metal3Machine = {
  kind: 'Metal3Machine',
  ...INFRASTRUCTURE,
  plural: 'metal3machines',
  workflow: { type: 'metal3MachineWorkflow', controller: 'machines', firstState: 'pending' },
  finalizers: [MACHINE_FINALIZER],
  conditions: ['AssociateBareMetalHost', 'AssociateMetal3MachineMetaData', 'Metal3DataReady', 'Paused', 'Ready'],
  rights: { bridge: FOLLOWED_IN_CACHE, workers: { object: ['get'] } },
} as const satisfies Kind;

export const metal3MachineTemplate = {
  kind: 'Metal3MachineTemplate',
  ...INFRASTRUCTURE,
  plural: 'metal3machinetemplates',
  finalizers: [],
  rights: { bridge: READ_IN_CACHE, workers: { object: ['get'] } },
} as const satisfies Kind;
