import { expect, test } from 'vitest';
import { aHost } from '../../../test/builders/host.ts';
import { withSteered } from '../../steering/steered.ts';
import { hostEntity } from '../entity.ts';
import { hostSteeringDetails } from './details.ts';

test('the details of a run have the last message, and the commands that the host takes now', () => {
  const steered = withSteered(
    aHost({ state: 'inspecting' }),
    { name: 'power', to: 'off', by: 'ada', reason: 'loud' },
    '2026-01-01T00:00:00Z',
  );
  const lines = hostSteeringDetails(steered);
  expect(lines.join('\n')).toContain('Last message: power off by ada: loud (2026-01-01T00:00:00Z)');
  expect(lines.join('\n')).toContain('What a person can do now (abort, pause, quarantine):');
  expect(lines.join('\n')).toContain(`
    temporal \\
      workflow update execute -w baremetalhost/metal/node-1 \\
      --name pause --input '{"by":"USER","reason":"WHY"}'
`);
  expect(hostEntity.messagesOf?.(steered)).toEqual(lines);
});

test('a host that waits for approval is approved or rejected with commands that name the step', () => {
  const awaits = { for: 'approval', code: 'provision-1', does: '', of: [] } as const;
  const lines = hostSteeringDetails(aHost({ state: 'available', awaits }));
  expect(lines.join('\n')).toContain('What a person can do now (approve, reject, ');
  expect(lines.join('\n')).toContain(`--name approve --input '{"code":"provision-1","by":"USER","reason":"WHY"}'`);
});

test('the end of a quarantine has the name that Temporal knows', () => {
  const lines = hostSteeringDetails(aHost({ state: 'available', seen: { annotations: { 'temper/quarantine': '' } } }));
  expect(lines.some((line) => line.includes('--name releaseQuarantine'))).toBe(true);
});

test('a run shows the last five messages', () => {
  const message = { name: 'pause', by: 'ada', reason: 'r' } as const;
  const many = Array.from({ length: 9 }, (_, at) => `${at}`).reduce(
    (memory, at) => withSteered(memory, message, at),
    aHost(),
  );
  expect(many.steered?.map(({ at }) => at)).toEqual(['4', '5', '6', '7', '8']);
  expect(hostEntity.show(many).ofKind).toMatchObject({ steered: many.steered });
});
