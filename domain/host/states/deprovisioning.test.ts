import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { next } from '../../../test/builders/step.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';

describe('a deprovisioning host', () => {
  test('is undeployed in a child workflow', () => expect(next({ state: 'deprovisioning' })).toBe('run deprovision'));
  test('becomes available, with no image on it', () => {
    const step = nextStep(aHost({ state: 'deprovisioning', finished: { name: 'deprovision' } }), NOW);
    if (step.kind !== 'become') throw new Error('it should become available');
    expect(step.state).toBe('available');
    expect(step.memory.status.provisioning).toMatchObject({ image: { url: '' } });
    expect(step.memory.status.provisioning.rootDeviceHints).toBeUndefined();
  });

  test('says in its order whether it is being deleted', () => {
    const orderOf = (seen: object): unknown => {
      const step = nextStep(aHost({ state: 'deprovisioning', seen, node: aNode({ state: 'active' }) }), NOW);
      return step.kind === 'run' && step.operation.order;
    };
    expect(orderOf({})).not.toHaveProperty('isLeaving');
    expect(orderOf({ deletionTimestamp: '2026-01-01T00:00:00Z' })).toMatchObject({ isLeaving: true });
  });

  test('is provisioned again when its image was not removed, because it asks for it again', () => {
    const memory = aHost({
      state: 'deprovisioning',
      seen: { spec: { image: IMAGE } },
      status: { provisioning: provisionedWith() },
    });
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run') throw new Error('it should be deprovisioned');
    const kept = record(memory, step.operation, { kind: 'done', node: aNode({ state: 'active' }) }, CHANCE);
    expect(kept.events.map(({ reason }) => reason)).toEqual(['DeprovisioningCancelled']);
    expect(nextStep(kept, NOW)).toMatchObject({
      kind: 'become',
      state: 'provisioned',
      memory: { finished: null, status: { provisioning: { image: IMAGE } } },
    });
  });

  test('shows the image that stayed, whatever its status said of it, and whatever it asks for by now', () => {
    const memory = aHost({
      state: 'deprovisioning',
      seen: { spec: { online: true, image: IMAGE } },
      status: { provisioning: { ...provisionedWith(), image: { url: '' } } },
    });
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run') throw new Error('it should be deprovisioned');
    const spec = { ...memory.seen.spec, image: { url: 'http://images/c.raw' } };
    const changed = { ...memory, seen: { ...memory.seen, spec } };
    const kept = record(changed, step.operation, { kind: 'done', node: aNode({ state: 'active' }) }, CHANCE);
    const shown = nextStep(kept, NOW);
    expect(shown).toMatchObject({
      state: 'provisioned',
      memory: { status: { provisioning: { image: IMAGE } } },
    });
    if (shown.kind !== 'become') throw new Error('it should be provisioned again');
    expect(nextStep(shown.memory, NOW)).toMatchObject({ kind: 'become', state: 'deprovisioning' });
  });

  const byStep = { customDeploy: { method: 'install' } };
  const forged = { customDeploy: { method: 'forged' } };
  test.each([
    ['an image', { image: IMAGE }, { image: { url: '' }, ...forged }, { image: IMAGE }],
    ['a custom deploy step', byStep, { image: IMAGE }, { image: { url: '' }, ...byStep }],
    ['both', { image: IMAGE, ...byStep }, { image: IMAGE, ...forged }, { image: IMAGE, ...byStep }],
    ['an image, with a step that was never run', { image: IMAGE, ...byStep }, { image: IMAGE }, { image: IMAGE }],
  ])('shows of what stayed, %s, what it asked for, and stays provisioned', (_, asked, shown, expected) => {
    const memory = aHost({
      state: 'deprovisioning',
      seen: { spec: { online: true, ...asked } },
      status: { provisioning: { ...provisionedWith(), ...shown } },
    });
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run') throw new Error('it should be deprovisioned');
    const kept = nextStep(
      record(memory, step.operation, { kind: 'done', node: aNode({ state: 'active' }) }, CHANCE),
      NOW,
    );
    if (kept.kind !== 'become') throw new Error('it should be provisioned again');
    const { image, customDeploy } = kept.memory.status.provisioning;
    expect({ image, customDeploy }).toEqual({ customDeploy: undefined, ...expected });
    const after = nextStep(kept.memory, NOW);
    expect(after.kind === 'become' && after.state).not.toBe('deprovisioning');
  });
});
