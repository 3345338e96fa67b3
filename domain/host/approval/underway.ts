import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import type { Need } from '../../lock/lock.ts';
import { traitsOf } from '../../states/table.ts';
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
  const { work, server } = traitsOf(subject.status.provisioning.state);
  if (work === 'provision') return provisioning(subject).kinds;
  if (work === 'deprovision') return deprovisioning(subject)?.kinds ?? [];
  // The object does not show whether a step has begun. A host without a begun step returns its place when it is asked.
  if (work === 'prepare') return ['erase', 'firmware'];
  // Between the attempts of a deployment. A host that no longer wants it returns its place when it is asked.
  const isBetween = server.isBeforeDeployment && (host.status?.provisioningFailCount ?? 0) > 0;
  return isBetween ? provisioning(subject).kinds : [];
}
