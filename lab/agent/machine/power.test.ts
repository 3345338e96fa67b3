import { describe, expect, test } from 'vitest';
import { bootOf, notificationSchema } from './power.ts';

const system = (change: object): ReturnType<typeof notificationSchema.parse> =>
  notificationSchema.parse({ uuid: 'u', power_state: 'Off', ...change });
const iso = { boot_device: 'Cd', boot_image: { Cd: ['/tmp/x/boot.iso', true, true] } };

describe('a machine', () => {
  test('does what was asked for before anybody has looked', () => {
    const pending = { ...iso, pending_power: { power_state: 'On' } };
    expect(bootOf(system(pending))).toEqual({ from: 'medium', file: '/tmp/x/boot.iso', isSeen: false });
  });

  test('is seen to run once the change is no longer pending', () => {
    const on = system({ ...iso, power_state: 'On', pending_power: null });
    expect(bootOf(on)).toEqual({ from: 'medium', file: '/tmp/x/boot.iso', isSeen: true });
  });

  test.each(['Off', 'ForceRestart', 'GracefulShutdown'])('stops on %s', (power_state) => {
    expect(bootOf(system({ ...iso, power_state: 'On', pending_power: { power_state } }))).toEqual({ from: 'nothing' });
  });

  test('starts its disk when no medium is to be booted, or none is inserted', () => {
    expect(bootOf(system({ ...iso, boot_device: 'Hdd', power_state: 'On' }))).toEqual({ from: 'disk' });
    const ejected = { Cd: [null, true, false] };
    expect(bootOf(system({ ...iso, boot_image: ejected, power_state: 'On' }))).toEqual({ from: 'disk' });
  });
});
