import { isObject } from '../../../kube/merge-patch.ts';
import { field, type SeenObject } from '../watch-versions.ts';
import type { Expectation, Step } from './story.ts';
import type { Version, Witness } from './witness.ts';

type Waiting = Extract<Step, { until: unknown } | { event: unknown } | { gone: unknown }>;

interface Patience {
  readonly witness: Witness;
  /** Versions before this one are ignored, except for the host's state at that time. */
  readonly since: number;
  /** Version of the story's last write; Events count from there. */
  readonly written: number;
  readonly patienceMs: number;
}

/** The first version in which the expectation holds; a short state that has ended already counts too. */
export async function reached(step: Waiting, { witness, since, written, patienceMs }: Patience): Promise<number> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const found = search(step, witness.versions(), since, written);
    if (found !== undefined) return found;
    const left = until - Date.now();
    if (left <= 0) throw new Error(`${JSON.stringify(step)} never came: ${last(witness.versions())}`);
    await witness.next(left);
  }
}

/** Returns when nothing was written for a while. */
export async function quiet(witness: Witness, ms: number): Promise<void> {
  for (let before = -1; before !== witness.versions().length; ) {
    before = witness.versions().length;
    await witness.next(ms);
  }
}

function search(step: Waiting, versions: readonly Version[], since: number, written: number): number | undefined {
  if ('event' in step) {
    const events = versions.filter(
      ({ at, kind, object }) => kind === 'Event' && at > written && field(object, 'reason') === step.event,
    );
    return events[step.times - 1]?.at;
  }
  const hosts = versions.filter(({ kind }) => kind === 'BareMetalHost');
  const current = hosts.findLastIndex(({ at }) => at <= since);
  return hosts
    .slice(Math.max(current, 0))
    .find(({ object }) => ('gone' in step ? object === undefined : object !== undefined && is(step.until, object)))?.at;
}

function is(expected: Expectation, host: SeenObject): boolean {
  const { state, status = {}, annotations = {}, spec = {} } = expected;
  return (
    (state === undefined || field(host, 'status', 'provisioning', 'state') === state) &&
    holds(status, host['status']) &&
    holds(annotations, host.metadata.annotations) &&
    holds(spec, host['spec'])
  );
}

function holds(expected: unknown, actual: unknown): boolean {
  if (expected === null) return actual === undefined || actual === null;
  if (!isObject(expected)) return expected === actual;
  return Object.entries(expected).every(([key, value]) => holds(value, field(actual, key)));
}

const last = (versions: readonly Version[]): string =>
  JSON.stringify(
    field(versions.findLast(({ kind }) => kind === 'BareMetalHost')?.object, 'status') ?? 'there is no such host',
  );
