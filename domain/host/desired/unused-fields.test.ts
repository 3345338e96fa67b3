import { describe, expect, test } from 'vitest';
import { unusedInWords } from './unused-fields.ts';

const iso = { url: 'http://images/a.iso', format: 'live-iso' as const };
const secret = { name: 's' };

describe('a host with a live ISO', () => {
  test.each(['userData', 'metaData', 'networkData'] as const)('has no use for spec.%s', (field) => {
    expect(unusedInWords({ image: iso, [field]: secret })).toBe(
      `spec.${field} has no effect: the image is a live ISO, which gets no config drive and is written to no disk`,
    );
  });

  test('has no use for root device hints, and says so of all fields at once', () => {
    expect(unusedInWords({ image: iso, userData: secret, rootDeviceHints: { deviceName: '/dev/sda' } })).toMatch(
      /^spec\.userData, spec\.rootDeviceHints have no effect: /,
    );
  });

  test('without any of them says nothing', () => {
    expect(unusedInWords({ image: iso })).toBeUndefined();
  });
});

test.each([{ url: 'http://images/a.raw' }, { ...iso, url: '' }, undefined])(
  'with the image %j all is used',
  (image) => {
    expect(unusedInWords({ ...(image && { image }), userData: secret })).toBeUndefined();
  },
);
