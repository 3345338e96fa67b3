import { describe, expect, test } from 'vitest';
import { aHost, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { fail } from '../outcome/failure.ts';
import { show } from './show.ts';
import { detailsOf, summaryOf } from './words.ts';

const order = {} as never;
const power = (on: boolean): Task => ({ name: 'power', order: { on, mode: 'soft' } as never });

test.each<[Task, string]>([
  [{ name: 'register', order: { retry: false } as never }, 'Register with Ironic'],
  [{ name: 'register', order: { retry: true } as never }, 'Register with Ironic again'],
  [{ name: 'adopt', order }, 'Adopt the node with its deployed image'],
  [{ name: 'image', order }, 'Request a PreprovisioningImage'],
  [{ name: 'media', order: { desired: 'http://a' } as never }, 'Insert the DataImage'],
  [{ name: 'media', order: { desired: '' } as never }, 'Eject the DataImage'],
  [{ name: 'media', order: { desired: null } as never }, 'Read the virtual drive'],
  [power(true), 'Power on'],
  [power(false), 'Power off (soft)'],
  [{ name: 'ask for place', order: { lock: 'slots' } as never }, 'Request a slot in Ironic'],
  [{ name: 'return place', order: { lock: 'slots' } as never }, 'Return the slot in Ironic'],
  [{ name: 'release', order }, 'Release Secrets, HardwareData and PreprovisioningImage'],
  [{ name: 'inspect', order }, 'Inspect the hardware'],
  [{ name: 'prepare', order }, 'Prepare the host'],
  [{ name: 'provision', order: { image: IMAGE } as never }, `Provision ${IMAGE.url}`],
  [{ name: 'provision', order }, 'Provision '],
  [{ name: 'deprovision', order }, 'Deprovision'],
  [{ name: 'delete', order }, 'Delete the node from Ironic'],
  [{ name: 'detach', order }, 'Delete the node from Ironic, leave the server as it is'],
  [{ name: 'power', order: { on: true, mode: 'hard', rebootFor: [] } as never }, 'Reboot (hard)'],
])('%j is said in words', (task, words) => {
  expect(summaryOf(task)).toBe(words);
});

describe('the head of a run', () => {
  test('names the host and its state', () => {
    expect(detailsOf(aHost(), '')).toBe('**metal/node-1** is **new**');
    expect(detailsOf(aHost({ state: 'available' }), 'waiting for an image')).toBe(
      '**metal/node-1** is **available**, waiting for an image',
    );
  });
  test.each([
    ['provisioned', 'provisioned as desired', 'as desired'],
    [
      'provisioned',
      'provisioned as desired; spec.disablePowerOff keeps it on',
      'as desired; spec.disablePowerOff keeps it on',
    ],
    ['externally provisioned', 'externally provisioned, only power is managed', 'only power is managed'],
    [
      'provisioned',
      'off, as spec.online says; provisioned as desired',
      'off, as spec.online says; provisioned as desired',
    ],
  ] as const)('names the state %s once, although the reason begins with it: %s', (state, reason, said) => {
    expect(detailsOf(aHost({ state }), reason)).toBe(`**metal/node-1** is **${state}**, ${said}`);
  });
  test('tells what went wrong once, although the reason of the wait says it too', () => {
    const failed = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    const step = nextStep(failed, NOW);
    expect(step).toMatchObject({
      reason: 'waiting to try again after registration error: no route',
      cause: 'registration error: no route',
    });
    expect(detailsOf(failed, 'waiting to try again after registration error: no route')).toBe(
      '**metal/node-1** is **registering**, waiting to try again\n\nregistration error (failure 1): no route',
    );
  });
});

test.each([
  ['Image provisioning failed (url: http://a/i.raw, checksum: http://a/(1).md5): no disk: sda', 'no disk: sda'],
  ['Image provisioning failed (url: http://a/i.raw): ', 'Image provisioning failed (url: http://a/i.raw): '],
  ['no (route): to host', 'no (route): to host'],
])('a timer shows why %s', (message, cause) => {
  const failed = fail(aHost({ state: 'provisioning' }), 'provisioning error', message, CHANCE);
  expect(nextStep(failed, NOW)).toMatchObject({
    reason: `waiting to try again after provisioning error: ${message}`,
    cause: `provisioning error: ${cause}`,
  });
});

describe('the view', () => {
  test('holds the finalizer, and a host in backoff waits until it tries again', () => {
    const memory = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    expect(show(memory).finalizer).toBe(true);
    expect(nextStep(memory, NOW)).toMatchObject({ kind: 'wait', until: Date.parse('2026-01-01T00:02:00.000Z') });
  });
});
