import { summarise, summariseLegacy } from '../../cluster-api/summary.ts';
import { writeRefused } from '../../entity/conditions.ts';
import type { Condition, LegacyCondition, Shown } from '../../entity/view.ts';
import { CONDITIONS, LEGACY_CONDITIONS } from '../memory/conditions.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { MACHINE_ANNOTATIONS } from '../names.ts';

/** The maximum number of addresses that Cluster API accepts. */
const MOST_ADDRESSES = 32;

/** What the Metal3Machine should show. */
export function show({ seen, record }: MachineMemory): Shown {
  const isPaused = seen.paused || seen.cluster?.paused === true;
  const { spec } = record;
  return {
    // A paused machine may be moving to another cluster: a finalizer that clusterctl removes must not be added again.
    ...(!isPaused && record.holds && { finalizer: true }),
    ...(record.host !== '' && { annotations: { [MACHINE_ANNOTATIONS.host]: `${seen.namespace}/${record.host}` } }),
    spec: { ...(record.providerID !== '' && { providerID: record.providerID }), ...spec },
    status: statusOf(record),
    conditions: conditionsOf(record),
    legacyConditions: legacyConditionsOf(record),
    // As upstream: from the first addresses on.
    ...(record.addresses.length > 0 && { timed: true }),
  };
}

function statusOf(record: MachineMemory['record']): NonNullable<Shown['status']> {
  const { provisioned, addresses, userData, metaData, networkData, renderedData, failure } = record;
  return {
    ...(provisioned && { initialization: { provisioned } }),
    ...(addresses.length > 0 && { addresses: addresses.slice(0, MOST_ADDRESSES) }),
    ...(userData && { userData }),
    ...(metaData && { metaData }),
    ...(networkData && { networkData }),
    ...(renderedData && { renderedData }),
    ...(failure && { deprecated: { v1beta1: { failureReason: failure.reason, failureMessage: failure.message } } }),
  };
}

function conditionsOf({ claims, refused }: MachineMemory['record']): readonly Condition[] {
  const all = ([...CONDITIONS, 'Paused'] as const).flatMap((type): Condition[] => {
    const claim = claims[type];
    return claim === undefined ? [] : [{ type, ...claim }];
  });
  return [summarise(CONDITIONS, all), ...all, ...writeRefused(refused)];
}

function legacyConditionsOf({ legacy }: MachineMemory['record']): readonly LegacyCondition[] {
  const all = LEGACY_CONDITIONS.flatMap((type): LegacyCondition[] => {
    const claim = legacy[type];
    return claim === undefined ? [] : [{ type, ...claim }];
  });
  const ready = summariseLegacy(LEGACY_CONDITIONS, all);
  return ready === undefined ? all : [ready, ...all];
}
