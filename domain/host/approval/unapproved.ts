import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { type Answer, answerIn } from '../../steering/answer.ts';
import { inWords } from '../../steering/messages.ts';
import type { HostRequest } from '../desired/asked-now.ts';
import { freshPreparation } from '../desired/fresh-order.ts';
import { deprovisioning, type Guarded, poweringOff, preparing, provisioning, subjectOf } from './guarded.ts';
import { neededBy } from './policy.ts';

/**
 * Why a request is not approved, by the BareMetalHost as it is in the API server now; undefined: it is, or needs no
 * approval and is not rejected. Windows are not checked here: they limit when a step begins, and a step may have several
 * requests.
 */
export function unapproved(host: BareMetalHost, request: HostRequest): string | undefined {
  const annotations = host.metadata.annotations ?? {};
  const guarded = guardedBy(host, request);
  if (guarded === undefined) return undefined;
  const { code, does, kinds } = guarded;
  const isAbout = (answer: Answer | undefined): boolean => answer?.code === code;
  if (isAbout(answerIn(annotations[APPROVAL_ANNOTATIONS.given]))) return undefined;
  const rejected = answerIn(annotations[APPROVAL_ANNOTATIONS.rejected]);
  if (rejected !== undefined && isAbout(rejected)) return `${code}, to ${does}, is rejected ${inWords(rejected)}`;
  return neededBy(annotations, kinds).length === 0 ? undefined : `nobody has approved ${code}, to ${does}`;
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
    case 'keep':
    case 'media':
    case 'examine':
    case 'inspect':
    case 'abort':
    case 'delete':
      return undefined;
  }
}
