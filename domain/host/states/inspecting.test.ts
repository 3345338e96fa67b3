import { describe, expect, test } from 'vitest';
import { aHost, NOW } from '../../../test/builders/host.ts';
import { next } from '../../../test/builders/step.ts';
import { nextStep } from '../next-step.ts';

describe('an inspecting host', () => {
  test('is inspected in a child workflow', () => expect(next({ state: 'inspecting' })).toBe('run inspect'));
  test('becomes preparing once it is', () => {
    expect(next({ state: 'inspecting', finished: { name: 'inspect' } })).toBe('become preparing');
  });
  test('leaves the state when inspection is disabled meanwhile, and says so', () => {
    const step = nextStep(aHost({ state: 'inspecting', seen: { spec: { inspectionMode: 'disabled' } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'preparing',
      memory: { events: [{ reason: 'InspectionSkipped', message: 'disabled by user' }] },
    });
  });
});
