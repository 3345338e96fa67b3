import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { isInspectionDisabled } from '../../../domain/host/desired/inspection-disabled.ts';
import { traitsOf } from '../../../domain/states/table.ts';
import { isObject, type Json, mergePatch } from '../../../kube/merge-patch.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { parseStatus } from '../../../kube/objects/carried-status.ts';
import type { HardwareDataRead } from '../../../kube/objects/hardwaredata.ts';
import { parseHardwareDetails } from './resource.ts';

/** The part of the view on which the hardware depends. */
export interface HardwareView {
  /** The provisioning state. */
  readonly state: string;
  readonly hardwareInspected: boolean;
}

export interface HardwareShown {
  /** The desired status.hardware; undefined when nothing is known. */
  readonly hardware: Json | undefined;
  /** Why the hardware in the annotation was not used. */
  readonly problem?: string;
  /** The status gets new hardware that is not from our own inspection. */
  readonly updated: boolean;
}

/**
 * The hardware to show: from the HardwareData when the host was inspected, when nothing is shown yet or when inspection
 * is disabled; otherwise from an annotation; otherwise the current one.
 */
export function shownHardware(host: Writable, view: HardwareView, stored: HardwareDataRead | undefined): HardwareShown {
  const shown = host.status['lastUpdated'] === undefined ? restored(host) : host.status['hardware'];
  const current = isObject(shown) ? shown : undefined;
  const isOpen = current === undefined || isUninspected(host);
  const found = stored?.hardware;
  const { node, work } = traitsOf(view.state);
  // Before the registration, an existing HardwareData belongs to something else, for example an earlier host.
  const isOwn = view.hardwareInspected && node.isRegistered && !isUninspected(host);
  // During an inspection, new HardwareData is from that inspection, which is not complete yet.
  if (found !== undefined && (view.hardwareInspected || (isOpen && work !== 'inspect'))) {
    return { hardware: found, updated: !isOwn && differs(current, found) };
  }
  const told = host.metadata.annotations[ANNOTATIONS.hardwareDetails];
  if (told === undefined || told === '' || !isOpen) return { hardware: current, updated: false };
  const parsed = parseHardwareDetails(told);
  if ('problem' in parsed) return { hardware: current, updated: false, problem: parsed.problem };
  return { hardware: parsed.details, updated: differs(current, parsed.details) };
}

/** The hardware of a host whose status was never written, from the status in its annotation. */
function restored({ metadata, status }: Writable): unknown {
  const carried = metadata.annotations[ANNOTATIONS.status];
  return (carried === undefined ? undefined : parseStatus(carried)?.hardware) ?? status['hardware'];
}

const differs = (current: Json | undefined, next: Json): boolean => mergePatch(current ?? {}, next) !== undefined;

const isUninspected = (host: Writable): boolean =>
  isInspectionDisabled(readHost(host).spec.inspectionMode, host.metadata.annotations);
