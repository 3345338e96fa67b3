import { describe, expect, test } from 'vitest';
import {
  aHostFact,
  aMachineOnHost,
  aMachineSnapshot,
  anOwner,
  anOwnHost,
  answered,
  CONSUMER,
  look,
} from '../../../test/builders/machine.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { machineEntity } from '../next-step.ts';
import { show } from './show.ts';

const DOMAIN = 'infrastructure.cluster.x-k8s.io/failure-domain';
const WANTED = { owner: anOwner({ failureDomain: 'rack-a' }) };
const SAID =
  'failure domain rack-a was wanted, host host-1 of failure domain rack-b was taken: no host of rack-a was free';
const hostIn = (domain?: string) => anOwnHost({ labels: { ...(domain !== undefined && { [DOMAIN]: domain }) } });
const said = (memory: MachineMemory) => show(memory).conditions?.find(({ type }) => type === 'OtherFailureDomain');
const machine = (change: Parameters<typeof aMachineOnHost>[0]): MachineMemory => look(aMachineOnHost(change)).memory;

/** The machine after it has got this host. */
const claimed = (host: HostFacts, viaReuse = false): MachineMemory =>
  answered(look(aMachineSnapshot(WANTED)), { kind: 'associated', host: { ...host, consumer: CONSUMER }, viaReuse })
    .memory;

describe('a machine on a host of another failure domain', () => {
  test('says which one was wanted, and which one was taken', () => {
    expect(said(machine({ ...WANTED, host: hostIn('rack-b') }))).toEqual({
      type: 'OtherFailureDomain',
      status: 'True',
      reason: 'NoHostInDomain',
      message: SAID,
    });
    expect(said(machine({ ...WANTED, host: hostIn() }))?.message).toContain(
      'host host-1 of no failure domain was taken',
    );
  });

  test.each([
    ['of the one that was wanted', { ...WANTED, host: hostIn('rack-a') }],
    ['when none was wanted', { host: hostIn('rack-b') }],
    ['while it is being deleted', { ...WANTED, host: hostIn('rack-b'), deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ])('says nothing of it %s', (_, change) => {
    expect(said(machine(change))).toBeUndefined();
  });

  test('has an Event once, when it gets the host', () => {
    const memory = claimed(aHostFact({ labels: { [DOMAIN]: 'rack-b' } }));
    const shown = show(memory);
    expect(shown.events).toEqual([
      { id: 'failure-domain/host-uid-1', reason: 'OtherFailureDomain', message: SAID, warning: true },
    ]);
    expect(show(machineEntity.taken?.(memory, shown) ?? memory).events).toBeUndefined();
  });

  test('says that the host is reserved for it, if it is', () => {
    const memory = claimed(aHostFact({ labels: { [DOMAIN]: 'rack-b' } }), true);
    expect(said(memory)?.message).toMatch(/rack-b was taken: it is reserved for this machine$/);
  });

  test('has none on a host of the one that was wanted', () => {
    expect(show(claimed(aHostFact({ labels: { [DOMAIN]: 'rack-a' } }))).events).toBeUndefined();
  });
});
