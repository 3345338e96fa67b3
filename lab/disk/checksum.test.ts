import { describe, expect, test } from 'vitest';
import { findChecksum, wantedChecksum } from './checksum.ts';

const SHA256 = 'a'.repeat(64);
const URL = 'http://images/disk.raw';

describe('the checksum an agent verifies', () => {
  test('is the named algorithm’s before the bare one', async () => {
    const info = { checksum: 'b'.repeat(32), os_hash_algo: 'SHA256', os_hash_value: SHA256.toUpperCase() };
    expect(await wantedChecksum(info, URL)).toEqual({ algorithm: 'sha256', value: SHA256 });
  });

  test.each([
    [32, 'md5'],
    [64, 'sha256'],
    [128, 'sha512'],
  ])('of %i digits is taken for %s', async (digits, algorithm) => {
    expect((await wantedChecksum({ checksum: 'c'.repeat(digits) }, URL)).algorithm).toBe(algorithm);
  });

  test('has to be given, and of a kind that is known', async () => {
    await expect(wantedChecksum({}, URL)).rejects.toThrow(/No checksum/);
    await expect(wantedChecksum({ checksum: 'abc' }, URL)).rejects.toThrow(/unknown checksum algorithm/);
  });
});

describe('a checksum file', () => {
  test.each([
    ['the value alone', `${SHA256}\n`],
    ['value and name', `${'b'.repeat(64)}  other.raw\n${SHA256}  disk.raw\n`],
    ['value and binary name', `# sums\n${SHA256} *./disk.raw\n`],
    ['BSD lines', `SHA256 (other.raw) = ${'b'.repeat(64)}\nSHA256 (disk.raw) = ${SHA256}\n`],
  ])('may be %s', (_, file) => {
    expect(findChecksum(file, 'disk.raw')).toBe(SHA256);
  });

  test('without the image’s name has no answer', () => {
    expect(findChecksum(`${SHA256}  other.raw\n`, 'disk.raw')).toBeUndefined();
  });
});
