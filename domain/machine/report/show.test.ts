import { describe, expect, test } from 'vitest';
import { aMachineOnHost, anOwner, anOwnHost, look } from '../../../test/builders/machine.ts';
import type { MachineMemory } from '../memory/memory.ts';
import { show } from './show.ts';

const SAID = 'Error: provisioning error (failure 2 of 5 for this image): the disk is on fire';
const on = (notReady?: string): ReturnType<typeof anOwnHost> =>
  anOwnHost({ state: 'provisioning', ...(notReady !== undefined && { notReady }) });
const ready = (memory: MachineMemory) => show(memory).conditions?.find(({ type }) => type === 'Ready');
const machine = (change: Parameters<typeof aMachineOnHost>[0]): MachineMemory => look(aMachineOnHost(change)).memory;

describe('a machine that is not ready', () => {
  test('says first what its host waits for, with status and reason as without it', () => {
    const silent = ready(machine({ host: on() }));
    expect(silent).toMatchObject({ status: 'Unknown', reason: 'ReadyUnknown' });
    expect(ready(machine({ host: on(SAID) }))).toEqual({
      ...silent,
      message: `* BareMetalHost host-1: ${SAID}\n${silent?.message}`,
    });
  });

  test('has all messages in one: that of its host, then a line for each condition that is not True', () => {
    expect(ready(machine({ host: on(SAID) }))).toEqual({
      type: 'Ready',
      status: 'Unknown',
      reason: 'ReadyUnknown',
      message:
        '* BareMetalHost host-1: Error: provisioning error (failure 2 of 5 for this image): the disk is on fire\n' +
        '* Metal3DataReady: Condition not yet reported',
    });
  });

  test('says nothing of a host that waits for the image of the machine, but its errors', () => {
    const idle = {
      state: 'available',
      hasImage: false,
      notReady: 'NotProvisioned: waiting for an image in spec.image',
    };
    expect(ready(machine({ host: anOwnHost(idle) }))?.message).not.toContain('BareMetalHost host-1');
    const broken = { ...idle, notReady: SAID, errorMessage: 'the disk is on fire' };
    expect(ready(machine({ host: anOwnHost(broken) }))?.message).toContain(`BareMetalHost host-1: ${SAID}`);
  });

  test('says nothing of its host while it is being deleted', () => {
    const deleted = machine({ host: on(SAID), deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(ready(deleted)?.message).not.toContain('BareMetalHost host-1');
  });
});

test('a machine that is ready has no message, whatever its host says', () => {
  const memory = machine({ host: anOwnHost({ notReady: SAID }), owner: anOwner({ nodeRef: 'node-a' }) });
  const record = { ...memory.record, claims: READY };
  expect(ready({ ...memory, record })).toMatchObject({ status: 'True', message: '' });
});

const is = { status: 'True', reason: 'R', message: '' } as const;
const READY = { AssociateBareMetalHost: is, AssociateMetal3MachineMetaData: is, Metal3DataReady: is };
