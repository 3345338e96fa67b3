import { describe, expect, test } from 'vitest';
import { AT, aMachineSnapshot, anOwner } from '../../../test/builders/machine.ts';
import { begin, type MachineMemory, withRecord } from '../memory/memory.ts';
import { listed, related } from './listed.ts';

const machine = (change: Parameters<typeof aMachineSnapshot>[0] = {}): MachineMemory => begin(aMachineSnapshot(change));
const onHost = (change: Parameters<typeof aMachineSnapshot>[0] = {}): MachineMemory =>
  withRecord(machine(change), { host: 'host-1' });

describe('a machine is listed', () => {
  test('as pending until it has a host, and as waiting for one when there is none', () => {
    expect(listed(machine())).toEqual({ state: 'pending' });
    const noHost = { reason: 'none matches', news: { bridge: 'a', count: 1 } };
    expect(listed({ ...machine(), noHost } as never)).toEqual({ state: 'pending', waitsFor: 'host' });
  });

  test('as provisioning, then as running', () => {
    expect(listed(onHost())).toEqual({ state: 'provisioning', waitsFor: 'hardware' });
    const linked = withRecord(onHost({ owner: anOwner({ nodeRef: 'node-a' }) }), {
      providerID: 'metal3://x',
      provisioned: true,
    });
    expect(listed(linked)).toEqual({ state: 'running' });
  });

  test('as deleting', () => {
    expect(listed(onHost({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toEqual({ state: 'deleting' });
  });

  test('by the action that failed', () => {
    const trouble = { action: 'find node', message: 'no', count: 1, until: AT } as const;
    expect(listed({ ...onHost(), trouble })).toEqual({ state: 'provisioning', error: 'find node', waitsFor: 'retry' });
  });

  test('as waiting for a person when its failure is for good', () => {
    const failure = { reason: 'CreateError', message: 'no' };
    expect(listed(withRecord(onHost(), { failure }))).toMatchObject({ error: 'CreateError', waitsFor: 'person' });
  });

  test('with a link to the run of its host', () => {
    expect(related(onHost())).toEqual([{ kind: 'BareMetalHost', namespace: 'metal', name: 'host-1' }]);
    expect(related(machine())).toEqual([]);
  });
});
