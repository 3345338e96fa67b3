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
    const parsed = parseUrl(text);
    expect(parsed.ok && parsed.url).toMatchObject(parts);
  });

  test.each([
    ['a\nb', String.raw`parse "a\nb": net/url: invalid control character in URL`],
    [':x', 'parse ":x": missing protocol scheme'],
    ['1:x', 'parse "1:x": first path segment in URL cannot contain colon'],
    ['http://a b', 'parse "http://a b": invalid character " " in host name'],
    ['http://a:x/', 'parse "http://a:x/": invalid port ":x" after host'],
    ['http://a:1:2/', 'parse "http://a:1:2/": invalid port ":1:2" after host'],
    ['http://h/%zz', 'parse "http://h/%zz": invalid URL escape "%zz"'],
    ['http://h%20/', 'parse "http://h%20/": invalid URL escape "%20"'],
    ['http://h/#%z', 'parse "http://h/#%z": invalid URL escape "%z"'],
    ['http://[::1', `parse "http://[::1": missing ']' in host`],
    ['http://a[::1]', 'parse "http://a[::1]": invalid IP-literal'],
    ['http://[::1]x', 'parse "http://[::1]x": invalid port "x" after host'],
    ['http://[1.2.3.4]', 'parse "http://[1.2.3.4]": invalid IP-literal'],
    ['ipmi://[@]h', 'parse "ipmi://[@]h": net/url: invalid userinfo'],
    ['http://[fe80::1%25%41]', 'parse "http://[fe80::1%25%41]": valid'],
    ['http://[fe80::1%25%2f]', 'parse "http://[fe80::1%25%2f]": invalid URL escape "%2f"'],
  ])('that makes no sense says why: %s', (text, message) => {
    const parsed = parseUrl(text);
    expect(parsed.ok ? `parse "${text}": valid` : parsed.message).toBe(message);
  });

  test.each([
    ['x', 'parse "x": invalid URI for request'],
    ['', 'parse "": empty url'],
  ])('of a request is absolute: %s', (text, message) => {
    expect(parseRequestUri(text)).toEqual({ ok: false, message });
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
