import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { answerIn } from '../../steering/answer.ts';
import type { HostRequest } from '../desired/asked-now.ts';
import { freshPreparation } from '../desired/fresh-order.ts';
import { deprovisioning, type Guarded, poweringOff, preparing, provisioning, subjectOf } from './guarded.ts';
import { neededBy } from './policy.ts';

/**
 * Why a request is not approved, by the BareMetalHost as it is in the API server now; undefined: it is, or needs no
 * approval. Windows are not checked here: they limit when a step begins, and a step may have several requests.
 */
export function unapproved(host: BareMetalHost, request: HostRequest): string | undefined {
  const annotations = host.metadata.annotations ?? {};
  const guarded = guardedBy(host, request);
  if (guarded === undefined || neededBy(annotations, guarded.kinds).length === 0) return undefined;
  const { code, does } = guarded;
  return answerIn(annotations[APPROVAL_ANNOTATIONS.given])?.code === code
    ? undefined
    : `nobody has approved ${code}, to ${does}`;
}

function guardedBy(host: BareMetalHost, request: HostRequest): Guarded | undefined {
  const subject = subjectOf(host);
  switch (request.name) {
    case 'clean':
    case 'deploy':
      return provisioning(subject);
    case 'undeploy':
      return deprovisioning(subject);
    case 'prepare':
      return preparing(subject, freshPreparation(host, request.order));
    case 'power':
      return poweringOff(subject, request.order);
    case 'register':
    case 'inspect':
    case 'abort':
    case 'delete':
      return undefined;
  }
}
