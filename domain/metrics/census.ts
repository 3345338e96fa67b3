import { DIAGNOSES } from '../diagnosis/table.ts';
import { STEP_HELD } from '../entity/conditions.ts';
import type { WaitsFor } from '../entity/listed.ts';
import { NODE_OCCUPIED } from '../ironic/occupied.ts';
import { reasonOf, STUCK } from '../usual-times/stuck.ts';
import type { CountedHost } from './counted-host.ts';
import type { ObjectMeasurement } from './definitions.ts';
import { waitingFor } from './waiting.ts';

const OPERATIONS = ['register', 'inspect', 'provision', 'deprovision'] as const;

/** What hosts can wait for. */
const WAITS: readonly WaitsFor[] = ['hardware', 'person', 'retry', 'window', 'budget', 'slot'];

/** Ids of diagnoses by the reason of the condition. */
const CAUSES = new Map(DIAGNOSES.map(({ id }) => [reasonOf(id), id]));

/** Counts hosts by what their objects say now: nothing is kept for a host, and nothing is done between two scrapes. */
export function census(counted: Iterable<CountedHost>, now: number): readonly ObjectMeasurement[] {
  const hosts = new Map<string, ObjectMeasurement & { readonly name: 'temper_hosts' }>();
  const failing = new Map<string, ObjectMeasurement & { readonly name: 'temper_hosts_failing' }>();
  const begun = new Map<string, number>(OPERATIONS.map((operation) => [operation, now]));
  const stuck = new Map<string, ObjectMeasurement & { readonly name: 'temper_stuck_hosts' }>();
  const occupied = new Map<string, number>();
  const held = new Map<string, number>();
  const waiting = new Map<WaitsFor, number>(WAITS.map((each) => [each, 0]));
  for (const host of counted) {
    const {
      operationalStatus = '',
      errorType = '',
      provisioning,
      operationHistory = {},
      conditions = [],
    } = host.status ?? {};
    const state = provisioning?.state ?? '';
    const hung = conditions.find(({ type }) => type === STUCK);
    if (hung !== undefined) {
      // A condition that another version wrote may have another reason.
      const of = { state, cause: CAUSES.get(hung.reason ?? '') ?? 'unknown' };
      const key = JSON.stringify(of);
      stuck.set(key, { name: 'temper_stuck_hosts', labels: of, value: (stuck.get(key)?.value ?? 0) + 1 });
    }
    if (conditions.some(({ reason }) => reason === NODE_OCCUPIED)) {
      const namespace = host.metadata?.namespace ?? '';
      occupied.set(namespace, (occupied.get(namespace) ?? 0) + 1);
    }
    const step = conditions.find(({ type }) => type === STEP_HELD);
    if (step !== undefined) held.set(step.reason ?? '', (held.get(step.reason ?? '') ?? 0) + 1);
    const waits = waitingFor(host);
    if (waits !== undefined) waiting.set(waits, (waiting.get(waits) ?? 0) + 1);
    const labels = { state, status: operationalStatus };
    const key = JSON.stringify(labels);
    hosts.set(key, { name: 'temper_hosts', labels, value: (hosts.get(key)?.value ?? 0) + 1 });
    if (errorType !== '') {
      const value = (failing.get(errorType)?.value ?? 0) + 1;
      failing.set(errorType, { name: 'temper_hosts_failing', labels: { error_type: errorType }, value });
    }
    for (const operation of OPERATIONS) {
      const { start, end } = operationHistory[operation] ?? {};
      const since = start && !end ? Date.parse(start) : now;
      begun.set(operation, Math.min(begun.get(operation) ?? now, since));
    }
  }
  const longest = [...begun].map(([operation, since]) => ({
    name: 'temper_operation_longest_seconds' as const,
    labels: { operation },
    value: (now - since) / 1_000,
  }));
  const inUse = [...occupied].map(([namespace, value]) => ({
    name: 'temper_occupied_hosts' as const,
    labels: { namespace },
    value,
  }));
  const heldBack = [...held].map(([reason, value]) => ({
    name: 'temper_held_hosts' as const,
    labels: { reason },
    value,
  }));
  const waits = [...waiting].map(([what, value]) => ({
    name: 'temper_hosts_waiting' as const,
    labels: { for: what },
    value,
  }));
  return [...hosts.values(), ...failing.values(), ...stuck.values(), ...inUse, ...heldBack, ...waits, ...longest];
}

/** The measurements, and 0 for those of the last time that are not among them. */
export function withGone(
  measurements: readonly ObjectMeasurement[],
  last: readonly ObjectMeasurement[],
): readonly ObjectMeasurement[] {
  const keyOf = ({ name, labels }: ObjectMeasurement): string => JSON.stringify([name, labels]);
  const known = new Set(measurements.map(keyOf));
  return [...measurements, ...last.filter((one) => !known.has(keyOf(one))).map((one) => ({ ...one, value: 0 }))];
}
