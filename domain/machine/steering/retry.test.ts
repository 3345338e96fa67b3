import { describe, expect, test } from 'vitest';
import {
  absorb,
  aMachineOnHost,
  aMachineSnapshot,
  anOwner,
  anOwnHost,
  answered,
  failed,
  look,
  settled,
} from '../../../test/builders/machine.ts';
import { essential, type MachineMemory } from '../memory/memory.ts';
import { machineEntity } from '../next-step.ts';

const annotated = ({ seen }: MachineMemory, retry?: string): MachineMemory['seen'] => {
  const { retry: _, ...rest } = seen;
  return retry === undefined ? rest : { ...rest, retry };
};
const removed = (memory: MachineMemory): unknown => machineEntity.show(memory).annotations?.['temper/retry'];

describe('a retry of a machine', () => {
  test('ends a backoff once, and its annotation is removed', () => {
    const waiting = failed(look(aMachineOnHost({ host: anOwnHost({ hasImage: false }) })), 'the API server is away');
    expect(waiting.step).toMatchObject({ kind: 'wait', until: expect.any(Number) as unknown });
    expect(removed(waiting.memory)).toBeUndefined();
    const again = settled(absorb(waiting.memory, annotated(waiting.memory, 'again')));
    expect(again.step).toMatchObject({ kind: 'act', action: { name: 'fill host' } });
    expect(removed(again.memory)).toBeNull();

    const failedAgain = failed(again, 'the API server is away');
    expect(failedAgain.step.kind).toBe('wait');
    const gone = settled(absorb(failedAgain.memory, annotated(failedAgain.memory)));
    expect(gone.step).toEqual(failedAgain.step);
    expect(removed(gone.memory)).toBeUndefined();
    expect(settled(absorb(gone.memory, annotated(gone.memory, 'again'))).step.kind).toBe('act');
  });

  test('counts again when it is another one, and is removed by its own name', () => {
    const waiting = failed(look(aMachineOnHost({ host: anOwnHost({ hasImage: false }) })), 'the API server is away');
    const first = settled(absorb(waiting.memory, annotated(waiting.memory, 'm1 again')));
    const failedAgain = failed(first, 'the API server is away');
    expect(failedAgain.step.kind).toBe('wait');
    const second = settled(absorb(failedAgain.memory, annotated(failedAgain.memory, 'm2 again')));
    expect(second.step).toMatchObject({ kind: 'act', action: { name: 'fill host' } });
    expect(machineEntity.show(second.memory)).toMatchObject({ retryTaken: 'm2 again' });
  });

  test('searches for a host again', () => {
    const none = { kind: 'no host', reason: 'there are none', news: { bridge: 'a', count: 1 } } as const;
    const hostNews = { bridge: 'a', count: 1 };
    const waiting = answered(look(aMachineSnapshot({ hostNews })), none, 'associate');
    expect(waiting.step.kind).toBe('wait');
    const again = settled(absorb(waiting.memory, annotated(waiting.memory, 'again')));
    expect(again.step).toMatchObject({ kind: 'act', action: { name: 'associate' } });
  });

  test('ends the wait for the Node, which begins again', () => {
    const looking = look(aMachineOnHost());
    const absent = {
      kind: 'node',
      answer: { kind: 'absent', reason: 'SettingProviderIDOnNodeFailed', message: 'no Node' },
    } as never;
    const waiting = answered(looking, absent, 'find node');
    if (waiting.step.kind !== 'act') throw new Error('it does not wait for the Node');
    const { action } = waiting.step;
    expect(action).toMatchObject({ name: 'find node', knownProblem: 'no Node' });
    expect(machineEntity.stillWanted?.(waiting.memory, action)).toBe(true);
    const asked = absorb(waiting.memory, annotated(waiting.memory, 'again'));
    expect(machineEntity.stillWanted?.(asked, action)).toBe(false);
    const again = settled(asked);
    expect(again.step).toMatchObject({ kind: 'act', action: { name: 'find node' } });
    expect(again.step).not.toHaveProperty('action.knownProblem');
  });

  test('of a paused machine waits until it is resumed', () => {
    const paused = look(aMachineOnHost({ paused: true, retry: 'again' }));
    expect(paused.step).toMatchObject({ kind: 'wait', reason: 'paused by its annotation' });
    expect(removed(paused.memory)).toBeUndefined();
    const resumed = settled(absorb(paused.memory, { ...paused.memory.seen, paused: false }));
    expect(removed(resumed.memory)).toBeNull();
  });

  test('is no news by itself: a failure counts on', () => {
    const snapshot = aMachineOnHost({ owner: anOwner({ nodeRef: 'node-a' }) });
    expect(essential({ ...snapshot, retry: 'again' })).toEqual(essential(snapshot));
  });
});
