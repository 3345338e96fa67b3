import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import type { BareMetalHost, BareMetalHostStatus } from '../../api/baremetalhost/types.ts';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { boundedJson } from '../../domain/bounds/json.ts';
import type { CarriedHostStatus } from '../../domain/host/memory/host-record.ts';
import { carriedStatusShape as isCarried } from '../../domain/host/shown-shapes.ts';

/** The status of the host; for one that was never written, the status in its annotation. */
export function carriedStatus({ metadata, status }: BareMetalHost): CarriedHostStatus | undefined {
  if (status?.lastUpdated !== undefined) return toRecord(status);
  const carried = metadata.annotations?.[ANNOTATIONS.status];
  const restored = carried === undefined ? undefined : parseStatus(carried);
  if (restored !== undefined) return toRecord(restored);
  return status === undefined ? undefined : toRecord(status);
}

/** undefined for an invalid status: such an annotation is ignored, as upstream does. */
export function parseStatus(text: string): BareMetalHostStatus | undefined {
  try {
    const { success, data } = bareMetalHostStatus.safeParse(boundedJson(text, BOUNDS.annotation));
    // The schema requires only that times are texts, so they are checked here.
    return success && isCarried(data, 'status') === undefined ? data : undefined;
  } catch {
    return undefined;
  }
}

function toRecord(status: BareMetalHostStatus): CarriedHostStatus {
  const { hardware: _, conditions: __, lastUpdated: ___, ...record } = status;
  return record;
}
