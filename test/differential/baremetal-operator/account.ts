import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { type Entry, patched } from '../recordings.ts';
import { field } from '../watch-versions.ts';

/**
 * A summary of a timeline. Each list has the values of one field, without repetitions: the number of status writes does
 * not matter.
 */
export interface Account {
  readonly states: readonly string[];
  readonly operationalStatus: readonly string[];
  readonly poweredOn: readonly boolean[];
  readonly errorCount: readonly number[];
  readonly provisioningFailCount: readonly number[];
  /** State, type and text of each error. */
  readonly errors: readonly string[];
  /** Reason, type and message. */
  readonly events: readonly string[];
  /** All objects at the end, complete. */
  readonly left: Readonly<Record<string, Json>>;
}

export function accountOf(timeline: readonly Entry[]): Account {
  const objects = new Map<string, Json>();
  const hosts: Json[] = [];
  const events: string[] = [];
  for (const entry of timeline) {
    if ('event' in entry) events.push(eventText(entry.event));
    if (!('kind' in entry)) continue;
    const key = `${entry.kind} ${entry.name}`;
    if (entry.change === null) {
      objects.delete(key);
      continue;
    }
    const now = patched(objects.get(key) ?? {}, entry.change);
    objects.set(key, now);
    if (entry.kind === 'BareMetalHost') hosts.push(now);
  }
  const statuses = hosts.flatMap((host) => (isObject(host['status']) ? [host['status']] : []));
  const errors = statuses
    .filter((status) => field(status, 'errorType') !== undefined)
    .map((status) => [field(status, 'provisioning', 'state'), status['errorType'], status['errorMessage']].join(': '));
  return {
    states: distinct(statuses.map((status) => String(field(status, 'provisioning', 'state')))),
    operationalStatus: distinct(statuses.map((status) => String(status['operationalStatus']))),
    poweredOn: distinct(statuses.map((status) => status['poweredOn'] === true)),
    errorCount: distinct(statuses.map((status) => Number(status['errorCount']))),
    provisioningFailCount: distinct(statuses.map((status) => Number(status['provisioningFailCount']))),
    errors: distinct(errors),
    events,
    left: Object.fromEntries([...objects].toSorted(([a], [b]) => a.localeCompare(b))),
  };
}

const eventText = ({ reason, type, message, related }: Json): string =>
  `${String(reason)} (${String(type)}): ${String(message)}${related === undefined ? '' : ` [${JSON.stringify(related)}]`}`;

const distinct = <Value>(values: readonly Value[]): readonly Value[] =>
  values.filter((value, at) => at === 0 || value !== values[at - 1]);
