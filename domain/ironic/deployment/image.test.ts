import { describe, expect, test } from 'vitest';
import { imageInfo, imageProblem, isOci, isSameImage } from './image.ts';

const NOTHING = {
  image_source: null,
  boot_iso: null,
  image_disk_format: null,
  image_checksum: null,
  image_os_hash_algo: null,
  image_os_hash_value: null,
};
const url = 'http://images/os.qcow2';

describe('the image of a node', () => {
  test('with a checksum of a stated kind', () => {
    expect(imageInfo({ image: { url, checksum: 'abc', checksumType: 'sha256', format: 'qcow2' } })).toEqual({
      ...NOTHING,
      image_source: url,
      image_disk_format: 'qcow2',
      image_os_hash_algo: 'sha256',
      image_os_hash_value: 'abc',
    });
  });

  test.each([undefined, 'auto'] as const)('with a checksum of kind %s is left to Ironic to tell', (checksumType) => {
    const image = { url, checksum: 'abc', ...(checksumType && { checksumType }) };
    expect(imageInfo({ image })).toEqual({ ...NOTHING, image_source: url, image_checksum: 'abc' });
  });

  test('from a registry has its checksum in itself', () => {
    const image = { url: 'oci://registry/os:1' };
    expect(imageInfo({ image })).toEqual({ ...NOTHING, image_source: 'oci://registry/os:1' });
  });

  test('that is a live ISO is booted, not written', () => {
    expect(imageInfo({ image: { url, format: 'live-iso', checksum: 'ignored' } })).toEqual({
      ...NOTHING,
      boot_iso: url,
    });
  });

  test.each([{}, { image: { url: '' } }])('is nothing when there is none: %o', (deployment) => {
    expect(imageInfo(deployment)).toEqual(NOTHING);
  });

  test('of a custom deployment is never given the old checksum field', () => {
    expect(imageInfo({ image: { url, checksum: 'abc' }, customDeployMethod: 'x' })).toEqual({
      ...NOTHING,
      image_source: url,
      image_os_hash_algo: '',
      image_os_hash_value: 'abc',
    });
  });

  test.each(['md5', 'sha256', 'sha512'] as const)(
    'of a custom deployment has a checksum of kind %s',
    (checksumType) => {
      const image = { url, checksum: 'abc', checksumType };
      expect(imageInfo({ image, customDeployMethod: 'x' })).toMatchObject({
        image_os_hash_algo: checksumType,
        image_os_hash_value: 'abc',
      });
    },
  );

  test('of a custom deployment is never booted', () => {
    const image = { url, format: 'live-iso' as const };
    expect(imageInfo({ image, customDeployMethod: 'x' })).toEqual({
      ...NOTHING,
      image_source: url,
      image_disk_format: 'live-iso',
    });
  });

  test('is from a registry whatever the case of its scheme', () => {
    expect([isOci({ url: 'OCI://registry/os:1' }), isOci({ url: 'http://oci/' })]).toEqual([true, false]);
  });
});

describe('a node runs the same image', () => {
  const image = { url, checksum: 'abc', checksumType: 'sha256' } as const;
  const info = { image_source: url, image_os_hash_algo: 'sha256', image_os_hash_value: 'abc', configdrive: '******' };

  test('when source and checksum agree, whatever else Ironic has', () => {
    expect(isSameImage(info, { image })).toBe(true);
  });

  test.each([
    ['source', { ...info, image_source: 'http://other' }],
    ['checksum', { ...info, image_os_hash_value: 'def' }],
    ['way of deploying', { boot_iso: url }],
    ['emptiness', {}],
    ['kind of checksum', { image_source: url, image_checksum: 'abc' }],
  ])('not when its %s differs', (_, other) => {
    expect(isSameImage(other, { image })).toBe(false);
  });
});

describe('an image can not be deployed', () => {
  test.each([
    [{ image: { url } }, 'Validation failed: checksum is required for normal images'],
    [
      { image: { url: 'oci://r/x', checksum: 'abc' } },
      'Validation failed: spec.image.checksum must be empty for OCI images (oci:// images have embedded checksums)',
    ],
    [{}, 'Validation failed: no image is given'],
    [{ image: { url: '' } }, 'Validation failed: no image is given'],
  ])('%o', (deployment, message) => {
    expect(imageProblem(deployment)).toBe(message);
  });

  test.each([
    [{ image: { url, checksum: 'abc' } }],
    [{ image: { url, format: 'live-iso' } }],
    [{ image: { url: 'oci://r/x' } }],
    [{ customDeployMethod: 'x' }],
  ] as const)('and these can: %o', (deployment) => {
    expect(imageProblem(deployment)).toBeUndefined();
  });
});
