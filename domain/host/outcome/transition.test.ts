import { describe, expect, test } from 'vitest';
import { aHost, NOW } from '../../../test/builders/host.ts';
import { enter, historyBegins, historyEnds } from './transition.ts';

const LATER = NOW + 60_000;

describe('the history of an operation', () => {
  test('begins when its state is entered and ends when that is left', () => {
    const inside = enter(aHost({ state: 'available' }), 'provisioning', NOW).memory;
    expect(inside.status.operationHistory.provision).toEqual({ start: '2026-01-01T00:00:00Z', end: null });
    const left = enter(inside, 'provisioned', LATER).memory;
    expect(left.status.operationHistory.provision).toEqual({
      start: '2026-01-01T00:00:00Z',
      end: '2026-01-01T00:01:00Z',
    });
  });

  test('that has ended is replaced when the state is entered again', () => {
    const over = enter(enter(aHost({ state: 'available' }), 'provisioning', NOW).memory, 'deprovisioning', NOW).memory;
    const again = enter(over, 'provisioning', LATER).memory;
    expect(again.status.operationHistory.provision).toEqual({ start: '2026-01-01T00:01:00Z', end: null });
  });

  test('that is open begins once, and ends once', () => {
    const begun = historyBegins(aHost(), 'register', NOW);
    expect(historyBegins(begun, 'register', LATER)).toBe(begun);
    const ended = historyEnds(begun, 'register', LATER);
    expect(historyEnds(ended, 'register', LATER + 1)).toBe(ended);
  });
});
