import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { imageBytes, imageDigest, imageSize } from './images.ts';

const read = async (name: string): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of imageBytes(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

describe('a generated image', () => {
  test('has the size its name tells, and the same bytes every time', async () => {
    const image = await read('ubuntu-24.04-300KiB.raw');
    expect(image.length).toBe(300 * 1024);
    expect(await read('ubuntu-24.04-300KiB.raw')).toEqual(image);
  });

  test('differs from one of another name', async () => {
    expect(await read('a-1KiB.raw')).not.toEqual(await read('b-1KiB.raw'));
  });

  test('has the checksum of its bytes', async () => {
    const expected = createHash('sha512')
      .update(await read('a-1KiB.raw'))
      .digest('hex');
    expect(await imageDigest('a-1KiB.raw', 'sha512')).toBe(expected);
  });

  test.each(['disk.raw', 'a-1KiB.tar', '../a-1KiB.raw', 'a-1TiB.raw'])('is not called %s', (name) => {
    expect(imageSize(name)).toBeUndefined();
  });
});
