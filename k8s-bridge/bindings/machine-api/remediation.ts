import { goDuration } from '../../../domain/go/duration.ts';
import { REMEDIATION_ANNOTATIONS } from '../../../domain/machine-api/names.ts';
import { isReplaceable } from '../../../domain/machine-api/replaceable.ts';
import type { RemediationSeen } from '../../../domain/machine-api/snapshot.ts';
import { BACKUP_ANNOTATIONS } from '../../../domain/remediation/names.ts';
import { byNamespace } from '../../../kube/by-name.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readHealthCheck } from '../../../kube/objects/machine-api.ts';
import type { Metadata } from '../../../kube/objects/metadata.ts';
import { selects } from '../../../kube/selects.ts';
import type { Stores } from '../../../kube/store.ts';
import { messageText } from '../../digest.ts';

/** What the annotations of a Machine say about its remediation; undefined: there are none. */
export function remediationOf(metadata: Metadata, stores: Stores): RemediationSeen | undefined {
  const { annotations } = metadata;
  const { requested, poweredOff, deadline } = REMEDIATION_ANNOTATIONS;
  const hasBackup = Object.values(BACKUP_ANNOTATIONS).some((key) => key in annotations);
  const isAny = hasBackup || [requested, poweredOff, deadline].some((key) => key in annotations);
  if (!isAny) return undefined;
  const startupTimeoutMs = startupTimeoutOf(metadata, stores);
  return {
    isRequested: requested in annotations,
    isPoweredOff: poweredOff in annotations,
    hasBackup,
    deadline: messageText(annotations[deadline] ?? ''),
    mayReplace: isReplaceable(metadata),
    ...(startupTimeoutMs !== undefined && { startupTimeoutMs }),
  };
}

/**
 * The time limit in the first MachineHealthCheck, by name, that selects the Machine. Only looked up during a
 * remediation.
 */
function startupTimeoutOf({ namespace, labels }: Metadata, stores: Stores): number | undefined {
  const checks = [...stores.having(byNamespace(KINDS.healthCheck), namespace)];
  for (const { object } of checks.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const { selector, nodeStartupTimeout } = readHealthCheck(object);
    const ms = selects(selector, labels) ? goDuration(nodeStartupTimeout) : undefined;
    if (ms !== undefined && ms > 0) return ms;
  }
  return undefined;
}
