import { expect, test } from 'vitest';
import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { aHost, CHANCE, IMAGE, NOW } from '../../test/builders/host.ts';
import { nextStep } from './next-step.ts';
import { fail } from './outcome/failure.ts';

test.each<[ProvisioningState, ProvisioningState]>([
  ['provisioned', 'deprovisioning'],
  ['available', 'powering off before delete'],
])('a host that is %s with an error shows it no longer when its deletion begins', (state, next) => {
  const seen = { deletionTimestamp: '2026-01-01T00:00:00Z', spec: { online: true, image: IMAGE } };
  const failed = { ...fail(aHost({ state, seen }), 'power management error', 'no BMC', CHANCE), retry: null };
  expect(failed.status).toMatchObject({ operationalStatus: 'error', errorType: 'power management error' });
  const step = nextStep(failed, NOW);
  if (step.kind !== 'become') throw new Error(`its deletion should begin: ${step.kind}`);
  expect(step.state).toBe(next);
  expect(step.memory.status).toMatchObject({ operationalStatus: 'OK', errorMessage: '', errorCount: 1 });
  expect(step.memory.status).not.toHaveProperty('errorType');
});
