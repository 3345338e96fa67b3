import type { Entity } from '../../domain/entity/entity.ts';
import type { Seen } from '../../domain/entity/seen.ts';
import { hostEntity } from '../../domain/host/entity.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import { aHost, aNode } from './host.ts';

const NOW = 1_000_000_000;

/** A long text, of which each character takes two bytes in JSON. */
export const LONG = 'é"\\'.repeat(20_000);

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** What a run hands to the next one: its memory, what it has shown last, and what it was doing. */
const carriedOn = (memory: unknown, shown: unknown, resuming?: unknown): number =>
  bytesOf({ options: {}, carried: { memory, shown: { what: shown }, resuming } });

/**
 * The largest payload of a run that gets this snapshot: the snapshot, the orders of its activities, and what it hands to
 * the next run.
 */
export function largest<Memory, Action, Answer>(
  { begin, nextStep, record, show }: Entity<never, Memory, Action, Answer>,
  seen: Seen,
): number {
  let memory = begin(seen as never);
  let most = Math.max(bytesOf({ snapshot: seen }), carriedOn(memory, show(memory)));
  // Everything fails, with a long message each time: that is kept for each claim.
  for (let steps = 0; steps < 1_000; steps += 1) {
    const step = nextStep(memory, { now: NOW, shown: { ...show(memory), finalizer: true } });
    if (step.kind !== 'act') break;
    most = Math.max(most, bytesOf(step.action), carriedOn(memory, show(memory), step.action));
    memory = record(memory, step.action, { kind: 'failed', message: LONG }, { now: NOW, dice: 0, before: memory });
    most = Math.max(most, carriedOn(memory, show(memory)));
  }
  return most;
}

const HOST_STATES = ['registering', 'preparing', 'available', 'provisioning', 'provisioned', 'deprovisioning'] as const;

/** The largest payload of a host's run in any of these states, where each task ends well, or with a long message. */
export function largestOfHost(seen: Seen): number {
  let most = bytesOf({ snapshot: seen });
  const node = aNode({ state: 'available' });
  const registered = { created: true, credentialsVersion: '90' };
  const done = { kind: 'done', answer: { kind: 'done', node, registered } } as const;
  for (const outcome of [done, { kind: 'failed', message: LONG }] as const)
    for (const state of HOST_STATES) {
      const { errorMessage, lastAttemptedImage } = hostEntity.begin(seen as HostSnapshot).status;
      const status = { errorMessage, ...(lastAttemptedImage && { lastAttemptedImage }) };
      let memory = aHost({ state, node, seen: seen as HostSnapshot, status });
      for (let steps = 0; steps < 12; steps += 1) {
        const shown = hostEntity.show(memory);
        most = Math.max(most, carriedOn(memory, shown));
        memory = hostEntity.taken?.(memory, shown) ?? memory;
        const step = hostEntity.nextStep(memory, { now: NOW, shown });
        if (step.kind === 'note' || step.kind === 'become') memory = step.memory;
        if (step.kind !== 'act') continue;
        const before = hostEntity.start?.(memory, step.action, NOW) ?? memory;
        most = Math.max(most, bytesOf(step.action), carriedOn(before, hostEntity.show(before), step.action));
        memory = hostEntity.record(before, step.action, outcome, { now: NOW, dice: 0, before });
      }
    }
  return most;
}
