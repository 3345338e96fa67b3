import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { summarise, summariseLegacy } from '../../cluster-api/summary.ts';
import { writeRefused } from '../../entity/conditions.ts';
import type { Condition, LegacyCondition, Shown } from '../../entity/view.ts';
import { isFree } from '../../states/table.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import { CONDITIONS, LEGACY_CONDITIONS } from '../memory/conditions.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { MACHINE_ANNOTATIONS } from '../names.ts';
import { inOtherDomain } from './failure-domain.ts';

/** The maximum number of addresses that Cluster API accepts. */
const MOST_ADDRESSES = 32;

/** What the Metal3Machine should show. */
export function show(memory: MachineMemory): Shown {
  const { seen, record, retried, steered, events } = memory;
  const isPaused = seen.paused || seen.cluster?.paused === true;
  const { spec } = record;
  return {
    // A paused machine may be moving to another cluster: a finalizer that clusterctl removes must not be added again.
    ...(!isPaused && record.needsFinalizer && { finalizer: true }),
    ...annotationsOf(record.host === '' ? undefined : `${seen.namespace}/${record.host}`, retried),
    spec: { ...(record.providerID !== '' && { providerID: record.providerID }), ...spec },
    status: statusOf(record),
    conditions: conditionsOf(memory),
    legacyConditions: legacyConditionsOf(record),
    // As upstream: `lastUpdated` exists once there are addresses.
    ...(record.addresses.length > 0 && { timed: true }),
    ...(steered !== undefined && { ofKind: { steered } }),
    ...(events !== undefined && { events }),
  };
}

/** The annotation of a retry is removed when the retry has begun. */
function annotationsOf(
  host: string | undefined,
  retried: string | undefined,
): Pick<Shown, 'annotations' | 'retryTaken'> {
  const annotations = {
    ...(host !== undefined && { [MACHINE_ANNOTATIONS.host]: host }),
    ...(retried !== undefined && { [STEERING_ANNOTATIONS.retry]: null }),
  };
  return Object.keys(annotations).length === 0
    ? {}
    : { annotations, ...(retried !== undefined && { retryTaken: retried }) };
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

function conditionsOf(memory: MachineMemory): readonly Condition[] {
  const { claims, refused } = memory.record;
  const all = ([...CONDITIONS, 'Paused'] as const).flatMap((type): Condition[] => {
    const claim = claims[type];
    return claim === undefined ? [] : [{ type, ...claim }];
  });
  return [withHost(summarise(CONDITIONS, all), memory), ...all, ...writeRefused(refused), ...inOtherDomain(memory)];
}

/** A machine that is not ready says first what its host waits for, unless that is the machine itself. */
function withHost(ready: Condition, { seen, record }: MachineMemory): Condition {
  const { host, deletionTimestamp } = seen;
  if (ready.status === 'True' || record.host === '' || deletionTimestamp !== undefined) return ready;
  if (host?.notReady === undefined || waitsForItsMachine(host)) return ready;
  return { ...ready, message: `* BareMetalHost ${host.name}: ${host.notReady}\n${ready.message}` };
}

const waitsForItsMachine = ({ state, errorMessage, hasImage, hasCustomDeploy }: HostFacts): boolean =>
  isFree(state) && errorMessage === '' && !hasImage && !hasCustomDeploy;

function legacyConditionsOf({ legacy }: MachineMemory['record']): readonly LegacyCondition[] {
  const all = LEGACY_CONDITIONS.flatMap((type): LegacyCondition[] => {
    const claim = legacy[type];
    return claim === undefined ? [] : [{ type, ...claim }];
  });
  const ready = summariseLegacy(LEGACY_CONDITIONS, all);
  return ready === undefined ? all : [ready, ...all];
}
