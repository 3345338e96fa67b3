import { expect, test } from 'vitest';
import { openedImage, openedUrl, sealImage, sealUrl } from './sealed-urls.ts';

const SIGNED = 'https://me:canary@images/a?sig=canary';
const SUMS = 'https://images/SUMS?sig=canary';

test('an image with secrets in its URLs is sealed, once, and opened with the URLs of its object', () => {
  const image = { url: SIGNED, checksum: SUMS, format: 'raw' };
  const sealed = sealImage('u', image);
  expect(JSON.stringify(sealed)).not.toContain('canary');
  expect(sealed).toMatchObject({
    format: 'raw',
    url: expect.stringMatching(/^https:\/\/images\/a\?hidden=\w{32}$/) as unknown,
  });
  expect(sealImage('u', sealed)).toBe(sealed);
  expect(openedImage('u', sealed, ['http://other', SIGNED, SUMS])).toEqual(image);
  expect(openedImage('u', sealed, ['http://other'])).toEqual(sealed);
});

test('another secret gives another sealed URL, and so does another object', () => {
  expect(sealUrl('v', SIGNED)).not.toBe(sealUrl('u', SIGNED));
  expect(openedUrl('v', sealUrl('u', SIGNED), [SIGNED])).toBeUndefined();
  const other = SIGNED.replaceAll('canary', 'more');
  expect(sealUrl('u', other)).not.toBe(sealUrl('u', SIGNED));
  expect(openedUrl('u', sealUrl('u', SIGNED), [other])).toBeUndefined();
});

test('an image without secrets stays the same object', () => {
  const image = { url: 'http://images/a', checksum: 'http://images/SUMS' };
  expect(sealImage('u', image)).toBe(image);
  expect(openedUrl('u', image.url, [image.url])).toBe(image.url);
});
