import { describe, expect, test } from 'vitest';
import { requested } from './command-line.ts';
import { explainCommand } from './explain/options.ts';
import { printable } from './out.ts';
import { planCommand } from './plan/options.ts';

describe('a command line', () => {
  test('of explain names an object', () => {
    expect(
      requested(explainCommand, ['machine', 'worker-1', '-n', 'metal', '--objects-only', '-o', 'json']),
    ).toMatchObject({
      kind: 'machine',
      name: 'worker-1',
      namespace: 'metal',
      objectsOnly: true,
      output: 'json',
    });
    expect(requested(explainCommand, ['rack', 'r1'])).toBeUndefined();
    expect(requested(explainCommand, ['host'])).toBeUndefined();
  });

  test('of plan names a host or a manifest, not both', () => {
    expect(requested(planCommand, ['machine', 'worker-1'])).toMatchObject({
      named: { kind: 'machine', name: 'worker-1' },
      namespace: 'default',
      deleting: false,
    });
    expect(requested(planCommand, ['-f', 'hosts.yaml', '--delete'])).toMatchObject({
      file: 'hosts.yaml',
      deleting: true,
    });
    expect(requested(planCommand, [])).toBeUndefined();
    expect(requested(planCommand, ['host', 'node-1', '-f', 'hosts.yaml'])).toBeUndefined();
  });
});

test('what an object says cannot steer a terminal', () => {
  expect(printable('  a\u001B[2Jb\nc\u009Bd')).toBe('  a [2Jb c d');
});
