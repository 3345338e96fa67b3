import { bareMetalHostStatus } from '../../../api/baremetalhost/status.ts';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { detachmentAsked } from '../../../domain/host/memory/detach-annotation.ts';
import type { CarriedHostStatus } from '../../../domain/host/memory/host-record.ts';
import { changesCounted } from '../../../domain/metrics/changes.ts';
import type { HostMeasurement } from '../../../domain/metrics/definitions.ts';
import { eventCounted } from '../../../domain/metrics/events.ts';
import { traitsOf } from '../../../domain/states/table.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import { parseStatus } from '../../../kube/objects/carried-status.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { KeptSizes } from '../../../platform/metrics/kept.ts';
import type { MeasuredObject, Metrics } from '../../../platform/metrics/registry.ts';
import type { Tally } from '../../binding.ts';
import { recordOf } from './view.ts';

export interface HostMetrics {
  readonly record: (measurement: HostMeasurement) => void;
  readonly forget: Metrics['forget'];
  readonly measured: Metrics['measured'];
}

export interface HostTally extends Tally {
  /**
   * Removes the series of hosts that are gone, which an earlier bridge of this process has measured. `isThere` gets the
   * host's key.
   */
  listed(isThere: (key: string) => boolean): void;
  /** Ends its timers. */
  stop(): void;
  readonly kept: KeptSizes;
}

/** How long (ms) the series of a deleted host stay, so that its last changes are scraped. */
export const SHOWN_MS = 600_000;

/**
 * Counts changes that the bridge writes to hosts, each once: a repeated status has no difference, and a repeated Event
 * exists already, whichever bridge wrote it. A change is missed when a bridge ended, or lost the API server's answer,
 * before it could count.
 */
export function createHostTally(metrics: HostMetrics): HostTally {
  const { record, forget } = metrics;
  /** Hosts that wait for a slot. A new bridge counts hosts that still wait again, because this is not stored. */
  const delayed = new Set<string>();
  /** Deleted hosts by key, until their series go. */
  const leaving = new Map<string, NodeJS.Timeout>();
  const stays = (key: string): void => {
    clearTimeout(leaving.get(key));
    leaving.delete(key);
  };
  const leaves = (object: MeasuredObject): void => {
    const key = keyOfHost(object);
    const go = (): void => {
      leaving.delete(key);
      forget(object);
    };
    stays(key);
    leaving.set(key, setTimeout(go, SHOWN_MS).unref());
  };
  return {
    shown(before, view) {
      const { namespace, name, uid } = view;
      const after = recordOf(view);
      changesCounted({ namespace, name, before: statusOf(before), after }).forEach(record);
      const waits = isDeletionDelayed(before) && traitsOf(after.provisioning.state).work !== 'delete';
      if (waits && !delayed.has(uid)) record({ name: 'metal3_delete_delayed_for_detached_total', labels: {} });
      if (waits) delayed.add(uid);
      else delayed.delete(uid);
    },
    told: (view, event) => eventCounted(view, event).forEach(record),
    looked(entry) {
      const { namespace, name: host } = entry;
      stays(keyOf(entry));
      record({ name: 'metal3_reconcile_total', labels: { namespace, host } });
    },
    lookFailed: () => record({ name: 'metal3_reconcile_error_total', labels: {} }),
    forgotten({ namespace, name: host, uid }) {
      delayed.delete(uid);
      leaves({ namespace, host });
    },
    listed(isThere) {
      for (const object of metrics.measured) if (!isThere(keyOfHost(object))) leaves(object);
    },
    stop() {
      for (const key of leaving.keys()) stays(key);
    },
    kept: { delayed_deletions: () => delayed.size },
  };
}

function isDeletionDelayed({ metadata: { deletionTimestamp, annotations } }: Writable): boolean {
  return deletionTimestamp !== undefined && detachmentAsked({ annotations })?.deleteAction === 'delay';
}

/**
 * The status before the write. For a moved host, it is the status in its annotation: taking it over is no change of
 * state.
 */
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

const keyOfHost = ({ namespace, host }: MeasuredObject): string => keyOf({ namespace, name: host });
