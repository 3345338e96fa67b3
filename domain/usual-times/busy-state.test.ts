import { describe, expect, test } from 'vitest';
import { busyStateOf, type HostProgress, type Stay, stayAfter } from './busy-state.ts';

const seen = (state: string, change: Partial<HostProgress> = {}): HostProgress => ({
  state,
  operationalStatus: 'OK',
  isPaused: false,
  ...change,
});

test.each([
  seen('available'),
  seen('provisioned'),
  seen('unmanaged'),
  seen('inspecting', { operationalStatus: 'delayed' }),
  seen('inspecting', { operationalStatus: 'error' }),
  seen('deprovisioning', { operationalStatus: 'detached' }),
  seen('inspecting', { isPaused: true }),
])('a host that is at rest or waits for something else is not busy: %j', (host) => {
  expect(busyStateOf(host)).toBeUndefined();
});

const play = (...written: readonly HostProgress[]) => {
  const passages: unknown[] = [];
  let stay: Stay | undefined;
  for (const [index, after] of written.entries()) {
    const before = written[index - 1];
    if (before === undefined) continue;
    const { stay: next, passage } = stayAfter(stay, { before, after, beforeAt: (index - 1) * 10, at: index * 10 });
    stay = next;
    if (passage !== undefined) passages.push(passage);
  }
  return { stay, passages };
};

describe('the time in a state', () => {
  test('is measured from the status that shows it to the one that shows the next', () => {
    const life = play(seen(''), seen('registering'), seen('inspecting'), seen('inspecting'), seen('preparing'));
    expect(life.passages).toEqual([
      { state: 'registering', ms: 10 },
      { state: 'inspecting', ms: 20 },
    ]);
    expect(life.stay).toEqual({ state: 'preparing', since: 40, isWhole: true });
  });

  test('is not learned when something else was waited for, and counts from the end of that', () => {
    const delayed = seen('inspecting', { operationalStatus: 'delayed' });
    const waited = play(seen('registering'), seen('inspecting'), delayed, seen('inspecting'));
    expect(waited.stay).toEqual({ state: 'inspecting', since: 30, isWhole: false });
    expect(play(seen(''), seen('inspecting'), delayed, seen('inspecting'), seen('preparing')).passages).toEqual([]);
  });

  test('is not learned of a host that failed, or was interrupted', () => {
    const failed = seen('deprovisioning', { operationalStatus: 'error' });
    expect(play(seen('available'), seen('provisioning'), failed).passages).toEqual([]);
    expect(play(seen('available'), seen('provisioning'), seen('deprovisioning')).passages).toEqual([]);
    expect(play(seen('registering'), seen('inspecting'), seen('deleting')).passages).toEqual([]);
    expect(play(seen('provisioned'), seen('deprovisioning'), seen('available')).passages).toHaveLength(1);
  });

  test('of a host that was busy when the bridge began counts from its last status, and is not learned', () => {
    expect(play(seen('inspecting'), seen('inspecting')).stay).toEqual({
      state: 'inspecting',
      since: 0,
      isWhole: false,
    });
    expect(play(seen('inspecting'), seen('inspecting'), seen('preparing')).passages).toEqual([]);
  });
});
