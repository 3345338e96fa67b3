import { INFRASTRUCTURE } from '../groups.ts';
import { FOLLOWED_IN_CACHE, type Kind } from '../kind.ts';

export const REMEDIATION_FINALIZER = 'metal3remediation.infrastructure.cluster.x-k8s.io';

export const metal3Remediation = {
  kind: 'Metal3Remediation',
  ...INFRASTRUCTURE,
  plural: 'metal3remediations',
  workflow: { type: 'remediationWorkflow', controller: 'machines' },
  finalizers: [REMEDIATION_FINALIZER],
  rights: { bridge: FOLLOWED_IN_CACHE, workers: { object: ['get', 'patch'] } },
} as const satisfies Kind;

export const metal3RemediationTemplate = {
  kind: 'Metal3RemediationTemplate',
  ...INFRASTRUCTURE,
  plural: 'metal3remediationtemplates',
} as const satisfies Kind;
