import { ANNOTATIONS } from '../api/baremetalhost/values.ts';
import type { HostView } from '../domain/host/report/view.ts';
import { isObject, type Json, mergePatch } from '../kube/merge-patch.ts';
import { parseStatus } from './bindings/baremetalhost.ts';
import { type PublishedHost, parseHardwareDetails, type StoredHardware } from './resource.ts';

export interface HardwareShown {
  /** What status.hardware should be; undefined: nothing is known. */
  readonly hardware: Json | undefined;
  /** Why the hardware given by annotation was not taken over. */
  readonly problem?: string;
  /** The status takes over something new that did not come from our own inspection. */
  readonly updated: boolean;
}

/** HardwareData that is there in these states is somebody else's, of an earlier host for example. */
const NOT_YET_INSPECTED: readonly string[] = ['', 'unmanaged', 'registering'];

/**
 * The hardware to show: that of the HardwareData when the host was inspected, when nothing is shown yet or when
 * inspection is off; failing that, what an annotation tells; failing that, what is shown already.
 */
export function shownHardware(host: PublishedHost, view: HostView, stored: StoredHardware | undefined): HardwareShown {
  const shown = host.status['lastUpdated'] === undefined ? restored(host) : host.status['hardware'];
  const current = isObject(shown) ? shown : undefined;
  const isOpen = current === undefined || isInspectionDisabled(host);
  const found = stored?.spec.hardware;
  const { state } = view.status.provisioning;
  const isOwn = view.hardwareInspected && !NOT_YET_INSPECTED.includes(state) && !isInspectionDisabled(host);
  // While the host is inspected, what appears is that inspection's own, and it is not over yet.
  if (found !== undefined && (view.hardwareInspected || (isOpen && state !== 'inspecting'))) {
    return { hardware: found, updated: !isOwn && differs(current, found) };
  }
  const told = host.metadata.annotations?.[ANNOTATIONS.hardwareDetails];
  if (told === undefined || told === '' || !isOpen) return { hardware: current, updated: false };
  const parsed = parseHardwareDetails(told);
  if ('problem' in parsed) return { hardware: current, updated: false, problem: parsed.problem };
  return { hardware: parsed.details, updated: differs(current, parsed.details) };
}

/** A host that was never written to may have brought its status along. */
function restored({ metadata, status }: PublishedHost): unknown {
  const carried = metadata.annotations?.[ANNOTATIONS.status];
  return (carried === undefined ? undefined : parseStatus(carried)?.hardware) ?? status['hardware'];
}

const differs = (current: Json | undefined, next: Json): boolean => mergePatch(current ?? {}, next) !== undefined;

const isInspectionDisabled = ({ metadata, spec }: PublishedHost): boolean =>
  spec.inspectionMode === 'disabled' || metadata.annotations?.[ANNOTATIONS.inspect] === 'disabled';
