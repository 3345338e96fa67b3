import {
  ANNOTATIONS,
  FINALIZERS,
  OPERATIONS_ANNOTATION,
  UNDEPLOYING_ANNOTATION,
} from '../../../api/baremetalhost/values.ts';
import { isMovedAway } from '../../../domain/cluster-api/names.ts';
import { RECONCILING, toSeconds } from '../../../domain/entity/conditions.ts';
import { HELD_BY_A_PERSON } from '../../../domain/host/report/due.ts';
import type { HostOfKind } from '../../../domain/host/report/view.ts';
import { resultsAfter } from '../../../domain/host/results/after.ts';
import { resultsValue } from '../../../domain/host/results/results.ts';
import { traitsOf } from '../../../domain/states/table.ts';
import { KINDS } from '../../../kube/kinds.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { type HardwareDataRead, readHardwareData } from '../../../kube/objects/hardwaredata.ts';
import { hardwareDataPath } from '../../../kube/paths.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { BridgeEvent, Completed, CompleteOrder } from '../../binding.ts';
import { digestOfStatus } from '../../digest.ts';
import type { Written } from '../../ledger.ts';
import { failCountWritten } from './fail-count.ts';
import { type HardwareShown, shownHardware } from './hardware.ts';
import { isPausedOrMoved } from './resource.ts';
import { openedStatus } from './sealed.ts';
import { ofKind, recordOf } from './view.ts';

/** The fields that the ledger has for a host, besides those of all kinds. */
export interface HostWritten {
  /** The provisioning state. */
  readonly state: string;
  /** status.provisioningFailCount in the workflow's view. */
  readonly failCount: number;
  /** Version of the HardwareData that the status followed, '' when there was none. */
  readonly hardwareVersion: string;
  /** The Secret with network data that the host was registered with; absent without one. */
  readonly agentNetwork?: string;
  /** What the DataImage of the host should show; absent without one. */
  readonly media?: HostOfKind['media'];
  /** The same values of a status write that is running. */
  readonly coming?: HostWritten;
}

export const hostWritten = (written: Written | undefined): HostWritten | undefined =>
  written && (written.own as unknown as HostWritten);

/** Adds the inspected hardware to the view: it is too large for the memory of the workflow. */
export async function completeHost(order: CompleteOrder): Promise<Completed> {
  const { view, object, written } = order;
  const record = recordOf(view);
  const { hardwareInspected, agentNetwork, media } = ofKind(view);
  const { state } = record.provisioning;
  const { work } = traitsOf(state);
  const stored = await storedHardware(order, hardwareInspected, state);
  const shown = shownHardware(object, { state, hardwareInspected }, stored);
  const { hardware, problem } = shown;
  const { architecture, spec } = readHost(object);
  const found = stored?.architecture ?? '';
  const takesArchitecture = architecture === '' && found !== '' && object.metadata.deletionTimestamp === undefined;
  const status = {
    ...openedStatus(record, object),
    ...(hardware !== undefined && { hardware }),
    provisioningFailCount: failCountToShow(order, record.provisioningFailCount),
  };
  // Hardware that is known beforehand is shown before the host has a state, as baremetal-operator does.
  const isFirst = object.status['lastUpdated'] === undefined && work === 'register' && hardware !== undefined;
  return {
    status,
    ...(isFirst && { firstStatus: { ...status, provisioning: { ...record.provisioning, state: '' } } }),
    ...operationsTold(order),
    ...(takesArchitecture && { spec: { architecture: found } }),
    isBlank: state === '' && hardware === undefined && !isHeldAtBirth(order),
    // The status contains what the annotations said. A paused host keeps them: a move to another cluster needs the
    // status annotation there.
    spent: isPausedOrMoved(object)
      ? []
      : [
          ANNOTATIONS.status,
          ...(problem === undefined ? [ANNOTATIONS.hardwareDetails] : []),
          ...(work === 'deprovision' ? [] : [UNDEPLOYING_ANNOTATION]),
        ],
    events: (after) => hardwareEvents(object, after, shown),
    own: {
      state,
      failCount: record.provisioningFailCount,
      hardwareVersion: stored?.metadata.resourceVersion ?? hostWritten(written)?.hardwareVersion ?? '',
      ...(agentNetwork !== undefined && { agentNetwork }),
      ...(media !== undefined && { media }),
    },
    ...(spec.consumerRef !== undefined && { related: spec.consumerRef }),
  };
}

/**
 * A host without state and hardware has nothing to show, except why a person holds it back. A paused one is not written:
 * its status may be on its way to another cluster.
 */
const isHeldAtBirth = ({ view: { shown }, object }: CompleteOrder): boolean =>
  !isPausedOrMoved(object) &&
  (shown.conditions ?? []).some(({ type, reason }) => type === RECONCILING && HELD_BY_A_PERSON.includes(reason));

/** Adds the results of operations to the list on the host, which outlives the runs in Temporal. */
function operationsTold({ view, object }: CompleteOrder): Pick<Completed, 'annotations'> {
  const { lastUpdated, operationHistory: before, spec } = readHost(object);
  // The status of a host that was moved or restored is old: its operations are not added.
  if (lastUpdated === '' || isMovedAway(object.metadata)) return {};
  const { kind, namespace, name } = spec.consumerRef ?? {};
  const results = resultsAfter({
    annotations: object.metadata.annotations,
    before,
    status: recordOf(view),
    events: view.shown.events ?? [],
    at: toSeconds(view.at),
    deletionTimestamp: object.metadata.deletionTimestamp,
    // Nobody can read the list of an object that goes with this write.
    isLeaving: view.leaving === true && object.metadata.finalizers.some((other) => other !== FINALIZERS.host),
    ...(name !== undefined && { consumer: `${kind ?? ''} ${namespace ?? view.namespace}/${name}`.trim() }),
  });
  return results === undefined ? {} : { annotations: { [OPERATIONS_ANNOTATION]: resultsValue(results) } };
}

/** undefined: there is no HardwareData, or the status already follows this version. */
async function storedHardware(
  { view, object, written, kube, stores }: CompleteOrder,
  isInspected: boolean,
  state: string,
): Promise<HardwareDataRead | undefined> {
  const known = stores.get(KINDS.hardwareData, keyOf(view))?.resourceVersion;
  const isFollowed = known !== undefined && known === hostWritten(written)?.hardwareVersion;
  const isUnchanged =
    digestOfStatus(object.status) === written?.status && !(ANNOTATIONS.hardwareDetails in object.metadata.annotations);
  if (isFollowed && isUnchanged && readHost(object).architecture && isInspected && !traitsOf(state).followsInspection)
    return undefined;
  const found = await kube.find(hardwareDataPath(view));
  return found === undefined ? undefined : readHardwareData(found);
}

/** A count written by another client stays until the workflow has seen it. */
function failCountToShow({ object, written }: CompleteOrder, ours: number): number {
  const booked = hostWritten(written);
  if (written === undefined || booked === undefined || ours !== booked.failCount) return ours;
  const { resourceVersion } = object.metadata;
  const before = { resourceVersion: written.resourceVersion, at: written.at, failCount: booked.failCount };
  // The object is as new as possible, because it is about to be written.
  return failCountWritten({ status: object.status, resourceVersion }, before, Number.POSITIVE_INFINITY) ?? ours;
}

function hardwareEvents(before: Writable, after: Writable, { updated, problem }: HardwareShown): BridgeEvent[] {
  const isTold = (host: Writable): boolean => host.metadata.annotations[ANNOTATIONS.hardwareDetails] !== undefined;
  const { resourceVersion, generation } = after.metadata;
  const events: BridgeEvent[] = [];
  if (updated) {
    events.push({
      id: `hardware/${resourceVersion}`,
      reason: 'UpdateHardwareDetails',
      message: 'Set HardwareDetails from hardware data or annotation',
      type: 'Normal',
    });
  }
  if (isTold(before) && !updated && !isTold(after)) {
    events.push({
      id: `hardware-annotation-ignored/${resourceVersion}`,
      reason: 'RemoveAnnotation',
      message: 'HardwareDetails annotation ignored, status already set and inspection is not disabled',
      type: 'Normal',
    });
  }
  if (problem !== undefined) {
    events.push({
      id: `hardware-annotation/${generation}`,
      reason: 'InvalidAnnotationValue',
      message: `Annotation ${ANNOTATIONS.hardwareDetails} was ignored: ${problem}`,
      type: 'Warning',
    });
  }
  return events;
}
