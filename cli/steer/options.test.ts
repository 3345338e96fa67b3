import { describe, expect, test } from 'vitest';
import { requested } from '../command-line.ts';
import { type SteerCommand, type SteerRequest, steerCommand } from './options.ts';

const steerRequest = (command: SteerCommand, args: readonly string[]): SteerRequest | undefined =>
  requested((take) => steerCommand(command, take), args);

const ABOUT = { command: 'power', message: 'power', about: '' } as const;
const QUARANTINE = { command: 'quarantine', message: 'quarantine', about: '' } as const;
const APPROVE = { command: 'approve', message: 'approve', about: '' } as const;
const FORCE = { command: 'force-delete', message: 'forceDelete', about: '' } as const;
const HOLD = { command: 'hold', message: 'quarantine', about: '', of: 'hold' } as const;
const UNHOLD = { command: 'unhold', message: 'release', about: '', of: 'unhold' } as const;
const words = (line: string): readonly string[] => line.split(' ');

describe('a command line', () => {
  test('names a host, who asks and why', () => {
    expect(steerRequest(QUARANTINE, words('host node-1 -n metal --reason loud --by ada'))).toMatchObject({
      message: 'quarantine',
      input: { by: 'ada', reason: 'loud' },
      name: 'node-1',
      namespace: 'metal',
    });
    expect(steerRequest(QUARANTINE, words('host node-1 --reason loud'))?.input.by).not.toBe('');
  });

  test('names labels instead, and how many hosts at a time', () => {
    expect(steerRequest(QUARANTINE, words('host -l rack=r1 --reason loud --at-once 3'))).toMatchObject({
      selector: 'rack=r1',
      atOnce: 3,
    });
  });

  test('of power says which way, of a deletion by force the name once more', () => {
    expect(steerRequest(ABOUT, words('off host node-1 --reason r'))?.input).toMatchObject({ to: 'off' });
    expect(steerRequest(FORCE, words('host node-1 --reason r --confirm node-1'))?.input).toMatchObject({
      confirm: 'node-1',
    });
  });

  test('of an approval names the step', () => {
    expect(steerRequest(APPROVE, words('host node-1 --reason r --code provision-1'))?.input).toMatchObject({
      code: 'provision-1',
    });
  });

  test.each([
    [APPROVE, 'host node-1 --reason r'],
    [APPROVE, 'host --reason r --code provision-1'],
    [APPROVE, 'host -l a=b --reason r --code provision-1'],
    [QUARANTINE, 'host node-1 --reason r --code provision-1'],
    [QUARANTINE, ''],
    [QUARANTINE, 'host'],
    [QUARANTINE, 'host node-1'],
    [QUARANTINE, 'host --reason r'],
    [QUARANTINE, 'host node-1 -l a=b --reason r'],
    [QUARANTINE, 'cluster node-1 --reason r'],
    [QUARANTINE, 'host node-1 --all --reason r'],
    [QUARANTINE, 'host -l a=b --all --reason r'],
    [FORCE, 'machine m-1 --reason r --confirm m-1'],
    [FORCE, 'host --all --reason r --confirm a'],
    [HOLD, 'host --reason r'],
    [HOLD, 'host node-1 --reason r'],
    [HOLD, 'machine --all --reason r'],
    [QUARANTINE, 'host node-1 --reason r --at-once 0'],
    [QUARANTINE, 'host node-1 --reason r --loud'],
    [ABOUT, 'up host node-1 --reason r'],
    [ABOUT, 'host node-1 --reason r'],
    [FORCE, 'host node-1 --reason r'],
    [FORCE, 'host -l a=b --reason r --confirm a'],
  ])('is refused: %j %s', (command, line) => {
    expect(steerRequest(command, line === '' ? [] : words(line))).toBeUndefined();
  });

  test.each([APPROVE, FORCE])('offers no options for many objects to a message for one: %j', (command) => {
    const { options, registeredArguments } = steerCommand(command);
    const offered = options.map(({ long }) => long);
    expect(offered).toContain('--reason');
    for (const many of ['--selector', '--all', '--at-once']) expect(offered).not.toContain(many);
    expect(registeredArguments.map(({ required }) => required)).toEqual([true, true]);
  });

  test('does not take an empty selector for all objects', () => {
    expect(steerRequest(QUARANTINE, ['host', '-l', ' ', '--reason', 'r'])).toBeUndefined();
  });

  test('names a machine in the same way', () => {
    expect(steerRequest(QUARANTINE, words('machine m-1 --reason r'))).toMatchObject({ kind: 'machine', name: 'm-1' });
    expect(steerRequest(ABOUT, words('off machine m-1 --reason r'))).toMatchObject({
      kind: 'machine',
      name: 'm-1',
      input: { to: 'off' },
    });
  });

  test('of a hold is a quarantine of many, whose reason says so', () => {
    expect(steerRequest(HOLD, words('host -l rack=r1 --reason work'))).toMatchObject({
      message: 'quarantine',
      of: 'hold',
      kind: 'host',
      selector: 'rack=r1',
      input: { reason: 'hold: work' },
    });
    const all = steerRequest(UNHOLD, words('host --all --reason done'));
    expect(all).toMatchObject({ message: 'release', of: 'unhold', selector: '', input: { reason: 'done' } });
    expect(all).not.toHaveProperty('name');
  });
});
