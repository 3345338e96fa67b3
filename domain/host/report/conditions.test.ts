import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE } from '../../../test/builders/host.ts';
import { settle, type WrittenCondition } from '../../entity/conditions.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Action } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { fail } from '../outcome/failure.ts';
import { record } from '../record.ts';
import { hostConditions } from './conditions.ts';

const EARLIER = Date.parse('2026-01-01T00:00:00.400Z');
const LATER = Date.parse('2026-01-01T00:10:00Z');

type Change = Parameters<typeof aHost>[0] & { readonly powerFault?: boolean; readonly health?: string | null };
const aMemory = ({ powerFault = false, health = null, ...host }: Change = {}): HostMemory => ({
  ...aHost(host),
  node: aNode({ fault: powerFault ? 'power failure' : null, health }),
});
function registration(memory: HostMemory): Extract<Action, { name: 'register' }> {
  const step = nextStep(memory, EARLIER);
  if (step.kind === 'note') return registration(step.memory);
  if (step.kind !== 'act' || step.action.name !== 'register') throw new Error(`no registration: ${step.kind}`);
  return step.action;
}
const written = (memory: HostMemory, previous: readonly WrittenCondition[], generation: number, now: number) =>
  settle(hostConditions(memory), previous, generation, now);

/** Upstream's conditions: type to `Status/Reason`. */
const said = (memory: HostMemory): Record<string, string> =>
  Object.fromEntries(
    upstreams(written(memory, [], 1, EARLIER)).map(({ type, status, reason }) => [type, `${status}/${reason}`]),
  );
/** Without the one that `due.test.ts` is about. */
const upstreams = <Any extends { readonly type: string }>(conditions: readonly Any[]): readonly Any[] =>
  conditions.filter(({ type }) => type !== 'Reconciling');

describe('the conditions of a host', () => {
  test('say what a policy says against marking its Secret, until the next registration', () => {
    const host = aHost({ state: 'registering' });
    const { order } = registration(host);
    const registered = { created: false, credentialsVersion: '90' };
    const chance = { now: EARLIER, dice: 0 };
    const refusal = 'Secrets are our business';
    const after = (memory: HostMemory, said: object): HostMemory =>
      record(
        memory,
        { name: 'register', order },
        { kind: 'done', node: aNode(), registered: { ...registered, ...said } },
        chance,
      );
    const refused = after(host, { refusal });
    const told = { type: 'WriteRefused', status: 'True', reason: 'Forbidden', message: refusal };
    expect(hostConditions(refused)).toContainEqual(told);
    expect(hostConditions(after(refused, {})).map(({ type }) => type)).not.toContain('WriteRefused');
  });

  test('say what a policy says against writing on it what it inherits', () => {
    const host = aMemory({ state: 'provisioned' });
    const refused = { ...host, seen: { ...host.seen, copyRefused: 'annotations are our business' } };
    const condition = { type: 'WriteRefused', status: 'True', reason: 'Forbidden' };
    expect(hostConditions(refused)).toContainEqual({ ...condition, message: 'annotations are our business' });
    expect(hostConditions(host).map(({ type }) => type)).not.toContain('WriteRefused');
  });

  test('say which fields of the spec a live ISO does not use, as long as there are any', () => {
    const image = { url: 'http://images/a.iso', format: 'live-iso' as const };
    const host = aMemory({ state: 'provisioned', seen: { spec: { image, userData: { name: 'u' } } } });
    expect(hostConditions(host)).toContainEqual({
      type: 'SpecIgnored',
      status: 'True',
      reason: 'LiveISO',
      message:
        'spec.userData has no effect: the image is a live ISO, which gets no config drive and is written to no disk',
    });
    const without = aMemory({ state: 'provisioned', seen: { spec: { image } } });
    expect(hostConditions(without).map(({ type }) => type)).not.toContain('SpecIgnored');
  });

  test.each([
    ['', 'False/NotManaged', 'False/NotAvailable', 'False/NotProvisioned', 'False/NotProgressing'],
    ['unmanaged', 'False/NotManaged', 'False/NotAvailable', 'False/NotProvisioned', 'False/NotProgressing'],
    ['registering', 'False/Registering', 'False/NotAvailable', 'False/NotProvisioned', 'True/Registering'],
    ['inspecting', 'True/Manageable', 'False/NotAvailable', 'False/NotProvisioned', 'True/Inspecting'],
    ['preparing', 'True/Manageable', 'False/NotAvailable', 'False/NotProvisioned', 'True/Preparing'],
    ['available', 'True/Manageable', 'True/Available', 'False/NotProvisioned', 'False/NotProgressing'],
    ['ready', 'True/Manageable', 'True/Available', 'False/NotProvisioned', 'False/NotProgressing'],
    ['provisioning', 'True/Manageable', 'False/NotAvailable', 'False/NotProvisioned', 'True/Provisioning'],
    ['provisioned', 'True/Manageable', 'False/NotAvailable', 'True/Provisioned', 'False/NotProgressing'],
    ['externally provisioned', 'True/Manageable', 'False/NotAvailable', 'True/Provisioned', 'False/NotProgressing'],
    ['deprovisioning', 'True/Manageable', 'False/NotAvailable', 'False/NotProvisioned', 'True/Deprovisioning'],
    [
      'powering off before delete',
      'True/Manageable',
      'False/NotAvailable',
      'False/NotProvisioned',
      'True/PoweringOffBeforeDelete',
    ],
    ['deleting', 'True/Manageable', 'False/NotAvailable', 'False/NotProvisioned', 'True/Deleting'],
  ] as const)('that is "%s"', (state, manageable, available, provisioned, progressing) => {
    expect(said(aMemory({ state }))).toEqual({
      Manageable: manageable,
      AvailableForProvisioning: available,
      Provisioned: provisioned,
      Ready: provisioned,
      Progressing: progressing,
      Healthy: 'Unknown/Unknown',
    });
  });

  test('tell a failed registration from one that goes on', () => {
    const memory = aMemory({ state: 'registering', status: { operationalStatus: 'error' } });
    expect(said(memory)).toMatchObject({ Manageable: 'False/RegistrationFailed', Ready: 'False/Error' });
  });

  test.each([
    ['error', 'False/Error'],
    ['servicing', 'False/Servicing'],
    ['detached', 'False/Detached'],
  ] as const)('say that a provisioned host is not ready while %s', (operationalStatus, ready) => {
    const memory = aMemory({ state: 'provisioned', status: { operationalStatus } });
    expect(said(memory)).toMatchObject({ Ready: ready, Provisioned: 'True/Provisioned' });
  });

  test('have messages: what the host waits for, or why they are not true', () => {
    const messages = (memory: HostMemory): Record<string, string> =>
      Object.fromEntries(upstreams(hostConditions(memory)).map(({ type, message }) => [type, message]));
    const waits = 'waiting for an image in spec.image';
    expect(messages(aMemory({ state: 'available', seen: { spec: { online: true } }, health: 'Warning' }))).toEqual({
      Ready: waits,
      AvailableForProvisioning: waits,
      Progressing: waits,
      Manageable: '',
      Provisioned: 'the host is available',
      Healthy: 'the BMC reports the health Warning',
    });
    const failed = fail(aMemory({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    const error =
      'registration error (failure 1): no route; since 2026-01-01T00:00:00Z; next try at 2026-01-01T00:02:00Z';
    expect(messages(failed)).toMatchObject({
      Ready: error,
      Progressing: error,
      Manageable: error,
      AvailableForProvisioning: 'the host is registering',
    });
    expect(messages(aMemory({ state: 'available', powerFault: true }))['Manageable']).toContain('power failure');
  });

  test('say that a detached host makes no progress', () => {
    const memory = aMemory({ state: 'provisioned', status: { operationalStatus: 'detached' } });
    expect(said(memory)).toMatchObject({ Progressing: 'False/Detached' });
  });

  test('say that a host cannot be managed when Ironic has lost its power, where power counts', () => {
    const of = (state: 'available' | 'deleting' | 'registering') =>
      said(aMemory({ state, powerFault: true }))['Manageable'];
    expect(of('available')).toBe('False/PowerFailure');
    expect(of('deleting')).toBe('True/Manageable');
    expect(of('registering')).toBe('False/Registering');
  });

  test.each([
    ['OK', 'True/Healthy'],
    ['Warning', 'False/Warning'],
    ['Critical', 'False/CriticalError'],
    ['something new', 'Unknown/Unknown'],
    [undefined, 'Unknown/Unknown'],
  ])('call a host whose node tells the health %s %s', (health, healthy) => {
    expect(said(aMemory({ state: 'available', ...(health !== undefined && { health }) }))['Healthy']).toBe(healthy);
  });

  test('are listed with readiness first', () => {
    expect(upstreams(written(aMemory(), [], 1, EARLIER)).map(({ type }) => type)).toEqual([
      'Ready',
      'AvailableForProvisioning',
      'Healthy',
      'Manageable',
      'Progressing',
      'Provisioned',
    ]);
  });

  test('keep the time of their last change until their status changes, and follow the generation', () => {
    const before = written(aMemory({ state: 'provisioning' }), [], 1, EARLIER);
    const after = written(aMemory({ state: 'provisioned' }), before, 2, LATER);
    const times = Object.fromEntries(
      upstreams(after).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
    expect(times).toEqual({
      Manageable: '2026-01-01T00:00:00Z',
      AvailableForProvisioning: '2026-01-01T00:00:00Z',
      Healthy: '2026-01-01T00:00:00Z',
      Provisioned: '2026-01-01T00:10:00Z',
      Ready: '2026-01-01T00:10:00Z',
      Progressing: '2026-01-01T00:10:00Z',
    });
    expect(after.find(({ type }) => type === 'Manageable')?.observedGeneration).toBe(2);
  });

  test('leave health as it was known, and conditions of others alone', () => {
    const known = {
      status: 'True',
      reason: 'Healthy',
      message: '',
      lastTransitionTime: '2025-01-01T00:00:00Z',
    } as const;
    const previous = [
      { ...known, type: 'Healthy' },
      { ...known, type: 'Somebody.Elses' },
    ];
    expect(written(aMemory(), previous, 1, EARLIER)).toEqual(expect.arrayContaining(previous));
  });
});
