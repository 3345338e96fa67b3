import { bareMetalHostStatus } from '../../../api/baremetalhost/status.ts';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { detachmentAsked } from '../../../domain/host/memory/detach-annotation.ts';
import type { CarriedHostStatus } from '../../../domain/host/memory/host-record.ts';
import { changesCounted } from '../../../domain/metrics/changes.ts';
import type { HostMeasurement } from '../../../domain/metrics/definitions.ts';
import { eventCounted } from '../../../domain/metrics/events.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import type { Tally } from '../../binding.ts';
import { parseStatus } from './carried-status.ts';
import { recordOf } from './view.ts';

/**
 * Counts changes that the bridge writes to hosts, each once: a repeated status has no difference, and a repeated Event
 * exists already, whichever bridge wrote it. A change is missed when a bridge ended, or lost the API server's answer,
 * before it could count.
 */
export function createHostTally(record: (measurement: HostMeasurement) => void): Tally {
  /** Known only while the process runs: a new bridge counts hosts that still wait again. */
  const delayed = new Set<string>();
  return {
    shown(before, view) {
      const { namespace, name, uid } = view;
      const after = recordOf(view);
      changesCounted({ namespace, name, before: statusOf(before), after }).forEach(record);
      const waits = isDeletionDelayed(before) && after.provisioning.state !== 'deleting';
      if (waits && !delayed.has(uid)) record({ name: 'metal3_delete_delayed_for_detached_total', labels: {} });
      if (waits) delayed.add(uid);
      else delayed.delete(uid);
    },
    told: (view, event) => eventCounted(view, event).forEach(record),
    looked: ({ namespace, name: host }) => record({ name: 'metal3_reconcile_total', labels: { namespace, host } }),
    lookFailed: () => record({ name: 'metal3_reconcile_error_total', labels: {} }),
    forgotten: (uid) => void delayed.delete(uid),
  };
}

function isDeletionDelayed({ metadata: { deletionTimestamp, annotations } }: Writable): boolean {
  return deletionTimestamp !== undefined && detachmentAsked({ annotations })?.deleteAction === 'delay';
}

/** For a moved host, the status in its annotation: taking it over is no change of state. */
function statusOf({ status, metadata }: Writable): CarriedHostStatus | undefined {
  const carried = metadata.annotations[ANNOTATIONS.status];
  const isNew = status['lastUpdated'] === undefined;
  const shown = isNew && carried !== undefined ? parseStatus(carried) : bareMetalHostStatus.safeParse(status).data;
  return shown ?? (isNew ? NEVER_SHOWN : undefined);
}

const NEVER_SHOWN: CarriedHostStatus = {
  operationalStatus: '',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  provisioning: { state: '', ID: '' },
};
