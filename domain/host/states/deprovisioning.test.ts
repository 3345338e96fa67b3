import { describe, expect, test } from 'vitest';
import { aHost, NOW } from '../../../test/builders/host.ts';
import { next } from '../../../test/builders/step.ts';
import { nextStep } from '../next-step.ts';

describe('a deprovisioning host', () => {
  test('is undeployed in a child workflow', () => expect(next({ state: 'deprovisioning' })).toBe('run deprovision'));
  test('becomes available, with no image on it', () => {
    const step = nextStep(aHost({ state: 'deprovisioning', finished: { name: 'deprovision' } }), NOW);
    if (step.kind !== 'become') throw new Error('it should become available');
    expect(step.state).toBe('available');
    expect(step.memory.status.provisioning).toMatchObject({ image: { url: '' } });
    expect(step.memory.status.provisioning.rootDeviceHints).toBeUndefined();
  });
});
