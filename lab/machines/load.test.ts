import { describe, expect, test } from 'vitest';
import { assembleMachines } from './load.ts';
import { bootMac } from './machine.ts';

describe('the machines of a lab', () => {
  test('are the same in every lab', () => {
    expect(assembleMachines(300)).toEqual(assembleMachines(300));
  });

  test('differ in name, UUID and MAC address', () => {
    const machines = assembleMachines(1000);
    for (const values of [machines.map(({ name }) => name), machines.map(({ uuid }) => uuid), machines.map(bootMac)]) {
      expect(new Set(values).size).toBe(1000);
    }
  });

  test('keep what a machines file does not mention', () => {
    const [plain] = assembleMachines(1);
    const [changed] = assembleMachines(1, { machines: [{ name: 'lab-0000', inventory: { ramMiB: 4096 } }] });
    expect(changed).toEqual({ ...plain, inventory: { ...plain?.inventory, ramMiB: 4096 } });
  });

  test('are refused when a machine of one’s own is incomplete', () => {
    expect(() => assembleMachines(1, { machines: [{ name: 'mine', inventory: { ramMiB: 1 } }] })).toThrow(
      /machine mine/,
    );
  });

  test('misbehave as told by name, and a name that does not exist is an error', () => {
    const failure = { kind: 'inspection', message: 'no disks', times: 1 } as const;
    expect(assembleMachines(1, undefined, { 'lab-0000': [failure] })[0]?.failures).toEqual([failure]);
    expect(() => assembleMachines(1, undefined, { 'lab-0009': [failure] })).toThrow(/lab-0009/);
  });
});
