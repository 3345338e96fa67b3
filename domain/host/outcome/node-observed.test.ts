import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { UNADOPTABLE } from '../../ironic/moves/adopt.ts';
import type { HostMemory } from '../memory/memory.ts';
import { nextStep } from '../next-step.ts';
import { show } from '../report/show.ts';
import { fail } from './failure.ts';
import { type NodeObservation, withNodeObserved } from './node-observed.ts';

const running = aNode({ state: 'active', poweredOn: true });
const provisioned = (change: Parameters<typeof aHost>[0] = {}): HostMemory =>
  aHost({
    state: 'provisioned',
    node: running,
    ...change,
    status: { poweredOn: true, provisioning: provisionedWith(), ...change.status },
    seen: { ...change.seen, spec: { online: true, image: IMAGE, ...change.seen?.spec } },
  });
const seenAs = (node: NodeObservation['node']): NodeObservation => ({ uid: 'uid-1', nodeId: running.id, node });

describe('a host at rest whose node was seen', () => {
  test('off although it should be on shows it and is switched on', () => {
    const host = withNodeObserved(provisioned(), seenAs({ ...running, poweredOn: false }));
    expect(show(host).status).toMatchObject({ poweredOn: false });
    expect(show(host)).not.toEqual(show(provisioned()));
    expect(nextStep(host, NOW)).toEqual({ kind: 'show' });
    const shown = { ...host, shownPower: false };
    expect(nextStep(shown, NOW)).toMatchObject({ kind: 'act', action: { name: 'power', order: { on: true } } });
  });
  test('switched by somebody else says so in a Warning, and not while a reboot is asked for', () => {
    const found = (poweredOn: boolean, host: HostMemory): readonly string[] =>
      withNodeObserved(host, seenAs({ ...running, poweredOn })).events.map(
        ({ reason, message, warning }) => `${warning ? 'Warning' : 'Normal'} ${reason}: ${message}`,
      );
    expect(found(false, provisioned())).toEqual([
      'Warning PowerDrift: The server was found off although spec.online is true',
    ]);
    const off = { status: { poweredOn: false }, node: { ...running, poweredOn: false } };
    expect(found(true, provisioned({ ...off, seen: { spec: { online: false } } }))).toEqual([
      'Warning PowerDrift: The server was found on although spec.online is false',
    ]);
    expect(found(true, provisioned(off))).toEqual([]);
    expect(found(false, provisioned({ seen: { annotations: { 'reboot.metal3.io/mine': '' } } }))).toEqual([]);
    expect(found(false, aHost({ ...provisioned(), state: 'deprovisioning' }))).toEqual([]);
  });
  test('as it is shown, after Ironic has switched it, says so in a Warning, and nothing else changes', () => {
    const switchedByIronicAt = '2026-01-01T00:00:00Z';
    const told = (host: HostMemory, at = switchedByIronicAt) =>
      withNodeObserved(host, { ...seenAs(host.node), switchedByIronicAt: at });
    const message =
      'Ironic switched the server on at 2026-01-01T00:00:00Z although nobody had asked for it here: Ironic restores power that was changed without it';
    const host = told(provisioned());
    expect(host).toEqual({
      ...provisioned(),
      eventCount: 1,
      events: [{ id: '1', reason: 'PowerDrift', message, warning: true }],
    });
    expect(said(nextStep(host, NOW))).toBe('wait');
    const off = provisioned({ status: { poweredOn: false }, node: { ...running, poweredOn: false } });
    expect(told(off).events[0]?.message).toContain('switched the server off');
    const failed = fail(provisioned(), 'power management error', 'no BMC', CHANCE);
    expect(told(failed).events).toEqual(failed.events);
    const deprovisioning = aHost({ ...provisioned(), state: 'deprovisioning' });
    expect(told(deprovisioning)).toBe(deprovisioning);
  });
  test('on although it should be off is switched off', () => {
    const off = provisioned({ node: { ...running, poweredOn: false }, seen: { spec: { online: false } } });
    expect(said(nextStep(off, NOW))).toBe('wait');
    expect(nextStep(withNodeObserved(off, seenAs(running)), NOW)).toMatchObject({ action: { order: { on: false } } });
  });
  test('with power that Ironic does not know keeps what was known', () => {
    const host = withNodeObserved(provisioned(), seenAs({ ...running, poweredOn: null }));
    expect(host.status.poweredOn).toBe(true);
    expect(said(nextStep(host, NOW))).toBe('wait');
  });
  test('with a power failure, or in bad health, shows it and does nothing else', () => {
    const fault = withNodeObserved(provisioned(), seenAs({ ...running, fault: 'power failure' }));
    expect(show(fault).conditions).toContainEqual(
      expect.objectContaining({ type: 'Manageable', status: 'False', reason: 'PowerFailure' }),
    );
    const ill = withNodeObserved(provisioned(), seenAs({ ...running, health: 'Critical' }));
    expect(show(ill).conditions).toContainEqual(
      expect.objectContaining({ type: 'Healthy', status: 'False', reason: 'CriticalError' }),
    );
    expect(show(ill)).not.toEqual(show(provisioned()));
    expect(said(nextStep(ill, NOW))).toBe('wait');
  });
  test('as it is already is left alone', () => {
    const host = provisioned();
    expect(withNodeObserved(host, seenAs(running))).toBe(host);
  });
  test('available, although an image runs on it, is adopted, and nothing is deployed or erased', () => {
    const available = seenAs({ ...running, state: 'available' });
    const host = withNodeObserved(provisioned(), { ...available, unused: true });
    expect(nextStep(host, NOW)).toMatchObject({ kind: 'act', action: { name: 'adopt' } });
    // As in histories from before.
    expect(said(nextStep(withNodeObserved(provisioned(), available), NOW))).toBe('wait');
  });
  test('available is not adopted when it is available itself', () => {
    const host = aHost({ state: 'available', node: running });
    const observed = withNodeObserved(host, { ...seenAs({ ...running, state: 'available' }), unused: true });
    expect(observed.node?.state).toBe('available');
  });
  test.each(['clean failed', 'inspect failed'])('in %s, although it is in use, is adopted', (state) => {
    for (const inUse of ['provisioned', 'externally provisioned'] as const) {
      const spec = { ...(inUse === 'externally provisioned' && { externallyProvisioned: true }) };
      const before = provisioned({ seen: { spec } });
      const { provisioning } = before.status;
      const host = { ...before, status: { ...before.status, provisioning: { ...provisioning, state: inUse } } };
      const observed = withNodeObserved(host, { ...seenAs({ ...running, state }), unused: true });
      expect(nextStep(observed, NOW)).toMatchObject({ kind: 'act', action: { name: 'adopt' } });
    }
  });
  test.each(UNADOPTABLE)(
    'in %s, although it is in use, says that its node has to be deleted, and is left alone',
    (state) => {
      const words = `Ironic has node ${running.id} in state '${state}', although the host is in use`;
      const observation = { ...seenAs({ ...running, state }), unadoptable: true } as const;
      const host = withNodeObserved(provisioned(), observation);
      expect(said(nextStep(host, NOW))).toBe('wait');
      const reboot = { 'reboot.metal3.io': '' };
      for (const seen of [{ annotations: reboot }, { spec: { online: false } }])
        expect(nextStep(withNodeObserved(provisioned({ seen }), observation), NOW)).toMatchObject({ kind: 'wait' });
      const shown = show(host).conditions?.find(({ type }) => type === 'Manageable');
      expect(shown).toMatchObject({ status: 'False', reason: 'NodeNotInUse' });
      expect(shown?.message).toContain(words);
      expect(host.events).toMatchObject([{ reason: 'NodeNotInUse', message: shown?.message, warning: true }]);
      expect(show(withNodeObserved(host, observation))).toEqual(show(host));
      // As in histories from before.
      expect(show(withNodeObserved(provisioned(), seenAs({ ...running, state })))).toEqual(show(provisioned()));
    },
  );
  test('in one such state after the other has one Event, and nothing to say once its node is in use again', () => {
    const seenIn = (memory: HostMemory, state: string) =>
      withNodeObserved(memory, { ...seenAs({ ...running, state }), unadoptable: true });
    const waited = seenIn(provisioned(), 'wait call-back');
    const failed = seenIn(waited, 'deploy failed');
    expect(failed.events).toEqual(waited.events);
    expect(show(failed).conditions).not.toEqual(show(waited).conditions);
    expect(show(withNodeObserved(failed, seenAs(running))).conditions).toEqual(show(provisioned()).conditions);
    expect(said(nextStep(withNodeObserved(failed, seenAs(null)), NOW))).toMatch(/note|register/);
  });
  test('in such a state says nothing of it when it is not in use', () => {
    const host = aHost({ state: 'deprovisioning', status: { poweredOn: true }, node: running });
    const observed = withNodeObserved(host, { ...seenAs({ ...running, state: 'deleting' }), unadoptable: true });
    expect(show(observed)).toEqual(show(host));
  });
  test('switched, after an attempt to switch it failed, has no error any more', () => {
    const failed = fail(provisioned({ status: { poweredOn: false } }), 'power management error', 'no BMC', CHANCE);
    const host = withNodeObserved({ ...failed, node: { ...running, poweredOn: false } }, seenAs(running));
    expect(host.status).toMatchObject({ operationalStatus: 'OK', errorMessage: '', poweredOn: true });
    expect(host.retry).toBeNull();
  });
});

describe('a host whose node is gone from Ironic', () => {
  test('is registered again, and adopted because it runs something', () => {
    const host = withNodeObserved(provisioned(), seenAs(null));
    expect(host.status.provisioning.state).toBe('provisioned');
    const begun = nextStep(host, NOW);
    if (begun.kind !== 'note') throw new Error('the registration should be entered into the history');
    expect(said(nextStep(begun.memory, NOW))).toBe('register');
    const { registration } = provisioned();
    expect(said(nextStep({ ...host, registration, node: aNode({ state: 'manageable' }) }, NOW))).toBe('adopt');
  });
  test('is signalled once', () => {
    const host = withNodeObserved(provisioned(), seenAs(null));
    expect(withNodeObserved(host, seenAs(null))).toBe(host);
  });
});

describe('what was seen of a node is of no interest', () => {
  test.each<[string, HostMemory, NodeObservation]>([
    ['to another host of the same name', provisioned(), { ...seenAs(null), uid: 'uid-2' }],
    ['to a host that has another node by now', provisioned(), { ...seenAs(null), nodeId: 'another' }],
    [
      'to a paused host',
      provisioned({ seen: { annotations: { 'baremetalhost.metal3.io/paused': '' } } }),
      seenAs(null),
    ],
    ['to a detached host', provisioned({ status: { operationalStatus: 'detached' } }), seenAs(null)],
  ])('%s', (_, host, observation) => {
    expect(withNodeObserved(host, observation)).toBe(host);
  });
});
