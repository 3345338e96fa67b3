import { describe, expect, test } from 'vitest';
import { aHost, CHANCE, IMAGE, NOW } from '../../test/builders/host.ts';
import { hostEntity } from './entity.ts';
import type { HostMemory } from './memory/memory.ts';
import type { Task } from './memory/task.ts';
import { nextStep } from './next-step.ts';

const spec = { online: true, image: IMAGE };
const DELETED = { spec, deletionTimestamp: '2026-01-01T00:00:00Z' };
type Seen = NonNullable<Parameters<typeof aHost>[0]>['seen'];
const aDeployment = (seen: Seen = { spec }): HostMemory =>
  aHost({ state: 'provisioning', status: { lastAttemptedImage: IMAGE }, seen });

/** The Events of a deployment that was cancelled when the host came to look like this. */
function eventsAfter(seen: Seen): HostMemory['events'] {
  const before = aDeployment();
  const step = nextStep(before, NOW);
  if (step.kind !== 'run') throw new Error('it should run an operation');
  const task: Task = step.operation;
  const started = hostEntity.start?.(before, task, NOW) ?? before;
  const cancelled = { ...started, seen: aDeployment(seen).seen };
  const ending = { ...CHANCE, now: NOW + 12_000, before };
  return hostEntity.record(cancelled, task, { kind: 'cancelled' }, ending).events.slice(started.events.length);
}

describe('an operation that is cancelled tells why', () => {
  test.each([
    ['spec.image changed', { spec: { ...spec, image: { ...IMAGE, url: 'http://images/b.raw' } } }],
    ['host deleted', DELETED],
    ['host deleted by force', { ...DELETED, annotations: { 'temper/force-delete': 'node-1' } }],
    ['something else was wanted for a moment', { spec }],
  ])('%s', (why, seen) => {
    expect(eventsAfter(seen)).toMatchObject([
      { reason: 'ProvisioningCancelled', message: `Image provisioning ended: ${why}`, why, tookMs: 12_000 },
    ]);
  });

  test('except one that an abort has ended, whose message has an Event of its own', () => {
    expect(eventsAfter({ spec, annotations: { 'temper/abort': '{"by":"ann","reason":"wrong image"}' } })).toEqual([]);
  });

  test('except a task of seconds', () => {
    const memory = aHost({ state: 'registering' });
    const task = { name: 'power', order: { on: true, mode: 'soft' } } as never;
    const ending = { ...CHANCE, before: memory };
    expect(hostEntity.record(memory, task, { kind: 'cancelled' }, ending).events).toEqual(memory.events);
  });
});
