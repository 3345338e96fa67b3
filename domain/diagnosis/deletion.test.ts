import { expect, test } from 'vitest';
import { PROVISIONING_STATES, type ProvisioningState } from '../../api/baremetalhost/values.ts';
import { hostSight } from '../../test/builders/diagnoses/sights.ts';
import { aHost, aNode, IMAGE, NOW } from '../../test/builders/host.ts';
import { planOf } from '../host/plan/plan.ts';
import { deletionOf } from './deletion.ts';
import { diagnose } from './diagnose.ts';

const DETACHED = 'baremetalhost.metal3.io/detached';
const annotated: readonly Readonly<Record<string, string>>[] = [{}, { [DETACHED]: '' }];
const cases = PROVISIONING_STATES.flatMap((state) => annotated.map((annotations) => [state, annotations] as const));

/** What the rules of the host do with its server when it is deleted. */
function doneTo(state: ProvisioningState, annotations: Readonly<Record<string, string>>) {
  const provisioning = { state, ID: aNode().id, image: IMAGE };
  const memory = aHost({
    state,
    node: aNode({ poweredOn: true }),
    status: { poweredOn: true, provisioning },
    seen: { deletionTimestamp: '2026-01-01T00:00:00Z', annotations, spec: { image: IMAGE } },
  });
  const { steps, end } = planOf(memory, NOW);
  expect(end.kind).toBe('gone');
  const done = steps.map(({ does }) => does);
  if (done.some((does) => /^(remove|erase) /.test(does))) return 'deprovisions';
  return done.some((does) => does.startsWith('power off')) ? 'powers off' : 'leaves alone';
}

test.each(cases)(
  'a host that is deleted in the state %s, with %o, is said to have done to it what is done',
  (state, annotations) => {
    expect(deletionOf({ state, annotations })).toBe(doneTo(state, annotations));
  },
);

test.each([
  ['provisioned', 'host-deleting', /deprovisioned.*cleaned.*powered off/],
  ['externally provisioned', 'host-deleting-powers-off', /^It is being deleted\. .*its server is powered off/],
  ['unmanaged', 'host-deleting-leaves-alone', /nothing more is done to its server/],
] as const)('a paused host that is deleted in the state %s is told what goes on after the pause', (state, id, risk) => {
  const annotations = { 'baremetalhost.metal3.io/paused': '' };
  const [deleting, paused] = diagnose(hostSight({ state, annotations, deleting: true }));
  expect([deleting?.id, paused?.id]).toEqual([id, 'paused']);
  expect(paused?.risk).toMatch(risk);
});

test('a host that is deleted and detached waits for its end only with a delay', () => {
  const causes = (value: string) =>
    diagnose(hostSight({ annotations: { [DETACHED]: value }, deleting: true })).map(({ id }) => id);
  expect(causes('{"deleteAction":"delay"}')).toEqual(['host-deleting', 'detached']);
  expect(causes('')).toEqual(['host-deleting-leaves-alone']);
});
