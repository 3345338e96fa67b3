import { describe, expect, test } from 'vitest';
import { explainRequest } from './explain/options.ts';
import { planRequest } from './plan/options.ts';
import { printable } from './printable.ts';

describe('a command line', () => {
  test('of explain names an object', () => {
    expect(explainRequest(['machine', 'worker-1', '-n', 'metal', '--objects-only', '-o', 'json'])).toMatchObject({
      kind: 'machine',
      name: 'worker-1',
      namespace: 'metal',
      objectsOnly: true,
      output: 'json',
    });
    expect(explainRequest(['rack', 'r1'])).toBeUndefined();
    expect(explainRequest(['host'])).toBeUndefined();
  });

  test('of plan names a host or a manifest, not both', () => {
    expect(planRequest(['machine', 'worker-1'])).toMatchObject({
      named: { kind: 'machine', name: 'worker-1' },
      namespace: 'default',
      deleting: false,
    });
    expect(planRequest(['-f', 'hosts.yaml', '--delete'])).toMatchObject({ file: 'hosts.yaml', deleting: true });
    expect(planRequest([])).toBeUndefined();
    expect(planRequest(['host', 'node-1', '-f', 'hosts.yaml'])).toBeUndefined();
  });
});

test('what an object says cannot steer a terminal', () => {
  expect(printable('  a\u001B[2Jb\nc\u009Bd')).toBe('  a [2Jb c d');
});
