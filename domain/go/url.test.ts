import { describe, expect, test } from 'vitest';
import { isHostAndPort, parseRequestUri, parseUrl, splitHost } from './url.ts';

describe('a URL', () => {
  test.each([
    ['http://me:pw@a.example:80/x%20y?q=1#z', { scheme: 'http', host: 'a.example:80', path: '/x y', query: 'q=1' }],
    ['HTTP://[fe80::1%25eth0]:80/', { scheme: 'http', host: '[fe80::1%eth0]:80', path: '/' }],
    ['mailto:me', { scheme: 'mailto', opaque: 'me', host: '' }],
    ['a/b', { scheme: '', path: 'a/b', host: '' }],
    ['//h/x', { scheme: '', host: 'h', path: '/x' }],
    ['*', { path: '*' }],
    ['', { path: '' }],
  ])('is taken apart: %s', (text, parts) => {
    expect(parseUrl(text)).toMatchObject(parts);
  });

  test.each([
    'a\nb',
    ':x',
    '1:x',
    'http://a b',
    'http://a:x/',
    'http://a:1:2/',
    'http://h/%zz',
    'http://h%20/',
    'http://h/#%z',
    'http://[::1',
    'http://a[::1]',
    'http://[::1]x',
    'http://[1.2.3.4]',
    'ipmi://[@]h',
    'http://[fe80::1%25%2f]',
  ])('is not %j', (text) => {
    expect(parseUrl(text)).toBeUndefined();
  });

  test('may have a host beyond ASCII, more than one colon for a BMC, and a zone with percent signs', () => {
    expect(parseUrl('http://z%C3%BCrich/')?.host).toBe('zürich');
    expect(parseUrl('ipmi://a:1:2/')?.host).toBe('a:1:2');
    expect(parseUrl('http://[fe80::1%25%41]')?.host).toBe('[fe80::1%A]');
  });

  test.each(['x', ''])('of a request is absolute, which %j is not', (text) => {
    expect(parseRequestUri(text)).toBeUndefined();
  });
});

describe('a host', () => {
  test('may carry a port and brackets', () => {
    expect(splitHost('[::1]:80')).toEqual({ hostname: '::1', port: '80' });
    expect(splitHost('h:x')).toEqual({ hostname: 'h:x', port: '' });
    expect(['1.2.3.4:5', '[::1]:5', ':'].every(isHostAndPort)).toBe(true);
    expect(['h', '::1', '[::1]', '[h:5', 'a]:5'].some(isHostAndPort)).toBe(false);
  });
});
