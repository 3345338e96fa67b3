import { describe, expect, test } from 'vitest';
import { isObjectName, secretPath } from './paths.ts';

describe("a name in a user's spec", () => {
  test.each(['a', 'host-1-bmc', 'with.dots', '0', 'a'.repeat(253)])('may be that of an object: %s', (name) => {
    expect(isObjectName(name)).toBe(true);
  });
  test.each([
    '',
    '.',
    '..',
    'a..b',
    '../../other/secrets/x',
    'a/b',
    'a%2Fb',
    'A',
    'a b',
    'a?watch=true',
    'ä',
    '-a',
    'a'.repeat(254),
  ])('is that of nothing: %s', (name) => expect(isObjectName(name)).toBe(false));
  test('stays one part of the path', () => {
    expect(secretPath({ namespace: 'metal', name: 'a/../b?c#d' })).toBe(
      '/api/v1/namespaces/metal/secrets/a%2F..%2Fb%3Fc%23d',
    );
  });
});
