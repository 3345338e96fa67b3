import type { CarriedHostStatus, HostRecord } from '../host/memory/host-record.ts';
import { traitsOf } from '../states/table.ts';
import type { HostMeasurement } from './definitions.ts';

export interface StatusChange {
  readonly namespace: string;
  readonly name: string;
  /** The previous status; undefined when it cannot be read. */
  readonly before: CarriedHostStatus | undefined;
  readonly after: HostRecord;
}

/**
 * The measurements for a status that replaces another. None when they are equal, so that a repeated write is not
 * counted again.
 */
export function changesCounted({ before, after, namespace, name }: StatusChange): readonly HostMeasurement[] {
  if (before === undefined) return [];
  const host = { namespace, host: name };
  return [
    ...stateChanged(before, after),
    ...operationsEnded(before, after, host),
    ...delayed(before, after, host),
    ...(hasBegun(before.operationHistory?.register, after.operationHistory.register)
      ? [{ name: 'metal3_host_registration_required_total', labels: {} } as const]
      : []),
    ...(versionTried(after) !== '' && versionTried(before) !== versionTried(after)
      ? [{ name: 'metal3_credentials_updated_total', labels: {} } as const]
      : []),
  ];
}

type HostLabels = { readonly namespace: string; readonly host: string };

function stateChanged(before: CarriedHostStatus, after: HostRecord): readonly HostMeasurement[] {
  const [prev, next] = [before.provisioning.state, after.provisioning.state];
  if (prev === next) return [];
  // From this state, a host gets to these only in a deletion, which keeps the failure count only when it gave up.
  const gaveUp = traitsOf(prev).work === 'deprovision' && traitsOf(next).deletion.isPart && after.errorCount > 0;
  return [
    { name: 'metal3_provisioning_state_change_total', labels: { prev_state: prev, new_state: next } },
    ...(traitsOf(next).lacksBmc ? [{ name: 'metal3_host_unmanaged_total', labels: {} } as const] : []),
    ...(gaveUp ? [{ name: 'metal3_delete_without_deprovisioning_total', labels: {} } as const] : []),
  ];
}

type Operation = { readonly start?: string | null | undefined; readonly end?: string | null | undefined } | undefined;

const OPERATIONS = [
  ['register', 'metal3_operation_register_duration_seconds'],
  ['inspect', 'metal3_operation_inspect_duration_seconds'],
  ['provision', 'metal3_operation_provision_duration_seconds'],
  ['deprovision', 'metal3_operation_deprovision_duration_seconds'],
] as const;

function operationsEnded(before: CarriedHostStatus, after: HostRecord, labels: HostLabels): readonly HostMeasurement[] {
  return OPERATIONS.flatMap(([operation, name]): readonly HostMeasurement[] => {
    const was: Operation = before.operationHistory?.[operation];
    const { start, end }: NonNullable<Operation> = after.operationHistory[operation] ?? {};
    if (!start || !end || (was?.start === start && was.end === end)) return [];
    return [{ name, labels, value: (Date.parse(end) - Date.parse(start)) / 1_000 }];
  });
}

const hasBegun = (before: Operation, after: Operation): boolean =>
  Boolean(after?.start) && (before?.start ?? undefined) !== after?.start;

function delayed(before: CarriedHostStatus, after: HostRecord, labels: HostLabels): readonly HostMeasurement[] {
  if (after.operationalStatus !== 'delayed' || before.operationalStatus === 'delayed') return [];
  // A host without an image waits for its inspection or for its image.
  const { runsImage } = traitsOf(after.provisioning.state).server;
  return [{ name: `metal3_delayed__${runsImage ? 'deprovisioning' : 'provisioning'}_total`, labels }];
}

const versionTried = ({ triedCredentials: tried }: CarriedHostStatus): string =>
  tried?.credentialsVersion ? `${tried.credentials?.name ?? ''}@${tried.credentialsVersion}` : '';
