import { describe, expect, test } from 'vitest';
import { linkIn, linkInAnnotation, providerIdOf } from './provider-id.ts';

describe('a providerID', () => {
  test('names a host and its uid', () => {
    const host = { namespace: 'metal', name: 'host-1', uid: 'u1' };
    expect(providerIdOf(host)).toBe('baremetalhost:///metal/host-1/u1');
    expect(linkIn(providerIdOf(host))).toEqual(host);
  });

  test.each([
    ['', undefined],
    ['baremetalhost:///metal/host-1', { namespace: 'metal', name: 'host-1' }],
    ['baremetalhost:///metal/host-1/', { namespace: 'metal', name: 'host-1' }],
    ['metal3://x', 'ProviderID value metal3://x is not a baremetalhost'],
    ['baremetalhost:///host-1', 'ProviderID value baremetalhost:///host-1 is not a baremetalhost'],
    ['baremetalhost:///a/b/c/d', 'ProviderID value baremetalhost:///a/b/c/d is not a baremetalhost'],
  ])('%j is read as %j', (text, link) => {
    expect(linkIn(text)).toEqual(link);
  });
});

test.each([
  ['metal/host-1', { namespace: 'metal', name: 'host-1' }],
  ['host-1', undefined],
  ['a/b/c', undefined],
  [undefined, undefined],
])('an annotation %j names the host %j', (text, link) => {
  expect(linkInAnnotation(text)).toEqual(link);
});
