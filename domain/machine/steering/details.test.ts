import { expect, test } from 'vitest';
import { aMachineOnHost, aMachineSnapshot, begin } from '../../../test/builders/machine.ts';
import { withSteered } from '../../steering/steered.ts';
import { machineEntity } from '../next-step.ts';
import { machineSteeringDetails } from './steerable.ts';

const trouble = { action: 'find node', message: 'no', count: 1, until: 0 } as const;

test('the details of a machine have the last message, and the commands that it takes now', () => {
  const steered = withSteered(
    begin(aMachineOnHost()),
    { name: 'pause', by: 'ada', reason: 'loud' },
    '2026-01-01T00:00:00Z',
  );
  const details = machineEntity.messagesOf?.(steered).join('\n');
  expect(details).toContain('Last message: pause by ada: loud (2026-01-01T00:00:00Z)');
  expect(details).toContain(`
    temporal \\
      workflow update execute -w metal3machine/metal/m3m-1 \\
      --name pause --input '{"by":"USER","reason":"WHY"}'
`);
  expect(details).toContain('Sent on to host host-1: abort, quarantine, release, reinspect, power');
  expect(machineEntity.show(steered).ofKind).toEqual({ steered: steered.steered });
  expect(machineEntity.show(begin(aMachineOnHost()))).not.toHaveProperty('ofKind');
});

test.each([
  ['without a host', begin(aMachineSnapshot()), 'pause'],
  ['that is paused', begin(aMachineOnHost({ paused: true })), 'resume'],
  ['that waits after a failure', { ...begin(aMachineOnHost()), trouble }, 'retry, pause'],
])('a machine %s takes: %s', (_, memory, messages) => {
  expect(/\((.*)\):/.exec(machineSteeringDetails(memory).join('\n'))?.[1]).toBe(messages);
});

test('a machine without a host sends nothing on', () => {
  expect(machineSteeringDetails(begin(aMachineSnapshot())).join('\n')).not.toContain('Sent on');
});
