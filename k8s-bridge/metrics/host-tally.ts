import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { detachmentAsked } from '../../domain/host/registration/detach-annotation.ts';
import type { CarriedHostStatus, HostEvent, HostView } from '../../domain/host/report/view.ts';
import { changesCounted } from '../../domain/metrics/changes.ts';
import type { HostMeasurement } from '../../domain/metrics/definitions.ts';
import { eventCounted } from '../../domain/metrics/events.ts';
import type { Named } from '../../kube/paths.ts';
import type { PublishedHost } from '../resource.ts';

/**
 * Counts what the bridge shows of hosts. Each thing once: a status that is written again changes nothing, and an Event
 * that is written again is there already, whichever bridge wrote it. What is missed is what was shown by a bridge that
 * ended, or lost the API server's answer, before it could count.
 */
export interface HostTally {
  /** This view is in the status now, in place of what the host said before. */
  shown(before: PublishedHost, view: HostView): void;
  /** This event of the host was written for the first time. */
  told(host: HostView, event: HostEvent): void;
  /** The host of this name is being looked at. */
  looked(host: Named): void;
  lookFailed(): void;
}

export function createHostTally(record: (measurement: HostMeasurement) => void): HostTally {
  /** Only known while the process lives: a bridge that starts counts those that still wait once more. */
  const delayed = new Set<string>();
  return {
    shown(before, view) {
      const { namespace, name, uid, status: after } = view;
      changesCounted({ namespace, name, before: statusOf(before), after }).forEach(record);
      const waits = isDeletionDelayed(before) && after.provisioning.state !== 'deleting';
      if (waits && !delayed.has(uid)) record({ name: 'metal3_delete_delayed_for_detached_total', labels: {} });
      if (waits) delayed.add(uid);
      else delayed.delete(uid);
    },
    told: (host, event) => eventCounted(host, event).forEach(record),
    looked: ({ namespace, name: host }) => record({ name: 'metal3_reconcile_total', labels: { namespace, host } }),
    lookFailed: () => record({ name: 'metal3_reconcile_error_total', labels: {} }),
  };
}

function isDeletionDelayed({ metadata: { deletionTimestamp, annotations = {} } }: PublishedHost): boolean {
  return deletionTimestamp !== undefined && detachmentAsked({ annotations })?.deleteAction === 'delay';
}

/** For a host that was moved here, the status that came along: to take it over is no step from one state to another. */
function statusOf({ status, metadata }: PublishedHost): CarriedHostStatus | undefined {
  const carried = metadata.annotations?.[ANNOTATIONS.status];
  const isNew = status['lastUpdated'] === undefined;
  const parsed = bareMetalHostStatus.safeParse(isNew && carried !== undefined ? parseJson(carried) : status);
  if (parsed.success) return parsed.data;
  return isNew ? NEVER_SHOWN : undefined;
}

const NEVER_SHOWN: CarriedHostStatus = {
  operationalStatus: '',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  provisioning: { state: '', ID: '' },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
