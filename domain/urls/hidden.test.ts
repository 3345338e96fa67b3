import { describe, expect, test } from 'vitest';
import { hasSecrets, isSameUrl, isSealed, publicPart, secretsIn, withoutUrlSecrets, withSeal } from './hidden.ts';

const DIGEST = '0123456789abcdef0123456789abcdef';
const SIGNED = 'https://images/a.qcow2?X-Amz-Signature=canary-1&X-Amz-Expires=60';
const WITH_USER = 'https://me:canary-2@images:8080/a.qcow2';

describe('a URL', () => {
  test.each([
    [SIGNED, 'https://images/a.qcow2', true],
    [WITH_USER, 'https://images:8080/a.qcow2', true],
    ['http://me@images/a', 'http://images/a', true],
    ['http://me:a@b:c@images/a?x', 'http://images/a', true],
    [' HTTP://me:x@images/a', 'HTTP://images/a', true],
    ['http:/me:x@images/a', 'http:/images/a', true],
    ['http://images/a', 'http://images/a', false],
    ['http://images/a@b', 'http://images/a@b', false],
    ['oci://registry/a@sha256:0123', 'oci://registry/a@sha256:0123', false],
    ['file:///images/a', 'file:///images/a', false],
    ['0123abc', '0123abc', false],
    ['', '', false],
  ])('%s is shown as %s', (url, shown, secret) => {
    expect(publicPart(url)).toBe(shown);
    expect(hasSecrets(url)).toBe(secret);
  });

  test('that is sealed has no secrets, and is shown without its seal', () => {
    const sealed = withSeal(SIGNED, DIGEST);
    expect(sealed).toBe(`https://images/a.qcow2?hidden=${DIGEST}`);
    expect([isSealed(sealed), hasSecrets(sealed), isSealed(SIGNED)]).toEqual([true, false, false]);
    expect(publicPart(sealed)).toBe('https://images/a.qcow2');
    expect(isSealed(`https://me:x@images/a?hidden=${DIGEST}`)).toBe(false);
    expect(hasSecrets(`https://images/a?hidden=${DIGEST}&more=1`)).toBe(true);
  });

  test('is the same file sealed and unsealed, but not with another seal, nor without any secret', () => {
    const sealed = withSeal(SIGNED, DIGEST);
    expect(isSameUrl(sealed, SIGNED)).toBe(true);
    expect(isSameUrl(SIGNED, sealed)).toBe(true);
    expect(isSameUrl(sealed, sealed)).toBe(true);
    expect(isSameUrl(sealed, withSeal(SIGNED, DIGEST.replace('0', '1')))).toBe(false);
    expect(isSameUrl(sealed, 'https://images/a.qcow2')).toBe(false);
    expect(isSameUrl(SIGNED, SIGNED.replace('60', '61'))).toBe(false);
    expect(isSameUrl(sealed, SIGNED.replace('a.qcow2', 'b.qcow2'))).toBe(false);
  });
});

describe('a text', () => {
  test.each([
    [`Error: could not download ${SIGNED}: 403`, 'Error: could not download https://images/a.qcow2?*** 403'],
    [`("${WITH_USER}")`, '("https://***@images:8080/a.qcow2")'],
    [`{"u":"https:\\/\\/me:canary@images\\/a?canary"}`, `{"u":"https:\\/\\/***@images\\/a?***"}`],
    ['http://a:canary@b/c and http://d:canary@e/f?canary', 'http://***@b/c and http://***@e/f?***'],
    ['Why? user@example.com: see http://images/a', 'Why? user@example.com: see http://images/a'],
  ])('%s becomes %s', (text, clean) => {
    expect(withoutUrlSecrets(text)).toBe(clean);
    expect(withoutUrlSecrets(clean)).toBe(clean);
  });
});

test.each([
  ['letters', 'a'],
  ['schemes', 'a://'],
  ['slashes', '://'],
  ['users', 'a://b@'],
  ['escapes', ':\\/\\/'],
])('a long text of %s is searched in milliseconds', { timeout: 20_000 }, (_, part) => {
  const text = part.repeat(1_000_000 / part.length);
  expect(withoutUrlSecrets(`${text} http://me:canary@images`)).not.toContain('canary');
  expect([hasSecrets(text), hasSecrets(`${text}?`)]).toContain(part === 'a://b@' || part === 'a://' ? true : false);
});

test('the secrets in a URL are its user, its password, its query and the long values in it', () => {
  expect([...new Set(secretsIn(`${WITH_USER.replace('canary-2', 'p%40ss')}?sig=canary%2Fsig&a=1`))]).toEqual([
    'me:p%40ss',
    'me:p@ss',
    'p%40ss',
    'p@ss',
    'sig=canary%2Fsig&a=1',
    'sig=canary/sig&a=1',
    'canary%2Fsig',
    'canary/sig',
  ]);
  expect(secretsIn('http://images/a')).toEqual([]);
});
