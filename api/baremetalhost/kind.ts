import { METAL3 } from '../groups.ts';
import { FOLLOWED, type Kind } from '../kind.ts';
import { CONDITION_TYPES, FINALIZERS } from './values.ts';

export const bareMetalHost = {
  kind: 'BareMetalHost',
  apiVersion: METAL3,
  plural: 'baremetalhosts',
  workflow: { type: 'hostWorkflow', controller: 'hosts' },
  // A Machine of the Machine API keeps its host with its own finalizer.
  finalizers: [FINALIZERS.host, 'machine.machine.openshift.io', 'machine.cluster.k8s.io'],
  conditions: CONDITION_TYPES,
  rights: { bridge: FOLLOWED, workers: { object: ['get', 'patch'] } },
} as const satisfies Kind;
