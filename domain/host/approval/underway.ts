import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import type { Need } from '../../lock/lock.ts';
import { deprovisioning, provisioning, subjectOf } from './guarded.ts';
import type { ApprovalKind } from './kinds.ts';
import { needsOf } from './policy.ts';

/**
 * The places of a host whose step has begun or whose deployment has failed, as its BareMetalHost shows it. Used when
 * Temporal's database is lost.
 */
export function placesUnderway(host: BareMetalHost): readonly Need[] {
  const kinds = kindsUnderway(host);
  const { namespace, annotations = {}, labels = {} } = host.metadata;
  return kinds.length === 0 ? [] : needsOf({ namespace, annotations, labels }, kinds);
}

function kindsUnderway(host: BareMetalHost): readonly ApprovalKind[] {
  const subject = subjectOf(host);
  switch (subject.status.provisioning.state) {
    case 'provisioning':
      return provisioning(subject).kinds;
    case 'deprovisioning':
      return deprovisioning(subject)?.kinds ?? [];
    case 'preparing':
      // The object does not show whether a step has begun. A host without a begun step returns its place when it is
      // asked.
      return ['erase', 'firmware'];
    // Between the attempts of a deployment. A host that no longer wants it returns its place when it is asked.
    case 'inspecting':
    case 'available':
    case 'ready':
      return (host.status?.provisioningFailCount ?? 0) > 0 ? provisioning(subject).kinds : [];
    default:
      return [];
  }
}
