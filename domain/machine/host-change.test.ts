import { describe, expect, test } from 'vitest';
import { type AskedOfHost, assumedBy, fillable, notAskedFor } from './host-change.ts';
import type { HostChange } from './memory/step.ts';

const IMAGE = { url: 'http://a/b', checksum: 'x' };
const SEALED = { url: 'http://a/b?hidden=1', checksum: 'x' };

describe('the change of a host', () => {
  test.each<[string, HostChange, ReturnType<typeof assumedBy>]>([
    ['with an image', { image: IMAGE, online: true }, 'has'],
    ['with a cleaning mode alone', { automatedCleaningMode: 'metadata' }, 'has'],
    ['that removes its image', { image: null, online: false }, 'leaves'],
    ['that powers it off', { online: false }, 'leaves'],
    ['that removes its image and leaves it on', { image: null, online: true }, 'leaves'],
    ['that powers it on', { online: true }, 'any'],
    ['that removes something and gives something else', { image: null, customDeploy: { method: 'x' } }, undefined],
    ['that powers it off with another cleaning mode', { online: false, automatedCleaningMode: 'disabled' }, undefined],
    ['of a field that is none of a machine', { bmc: { address: 'x' } } as HostChange, undefined],
  ])('%s assumes of its machine: %2$s', (_, change, assumed) => {
    expect(assumedBy(change)).toBe(assumed);
  });
});

const ASKED: AskedOfHost = {
  namespace: 'metal',
  images: [IMAGE, SEALED],
  userData: ['user'],
  metaData: ['meta', 'rendered-meta'],
  networkData: [],
  cleaningModes: ['metadata'],
};
const secret = (name: string, namespace = 'metal') => ({ name, namespace });

describe('what a machine asks of its host', () => {
  test.each<[string, HostChange]>([
    [
      'its image, its Secrets and its cleaning mode',
      {
        image: IMAGE,
        userData: secret('user'),
        metaData: secret('rendered-meta'),
        automatedCleaningMode: 'metadata',
        online: true,
      },
    ],
    ['its image without the secrets in its URL', { image: SEALED }],
    ['a Secret without a namespace', { userData: { name: 'user' } }],
  ])('is %s', (_, change) => {
    expect(notAskedFor(change, ASKED)).toBeUndefined();
  });

  test.each<[string, string, HostChange]>([
    ['another image', 'image', { image: { ...IMAGE, url: 'http://evil/x' } }],
    ['another checksum', 'image', { image: { ...IMAGE, checksum: 'y' } }],
    ['another format', 'image', { image: { ...IMAGE, diskFormat: 'raw' } }],
    ['a custom deploy step without its image', 'image', { customDeploy: { method: 'x' } }],
    ['a custom deploy step beside its image', 'customDeploy', { image: IMAGE, customDeploy: { method: 'x' } }],
    ['another Secret as user data', 'userData', { image: IMAGE, userData: secret('admin') }],
    ['its Secret in another namespace', 'userData', { image: IMAGE, userData: secret('user', 'other') }],
    ['another Secret as metadata', 'metaData', { metaData: secret('user') }],
    ['network data, when it has none', 'networkData', { networkData: secret('user') }],
    ['another cleaning mode', 'automatedCleaningMode', { automatedCleaningMode: 'disabled' }],
  ])('is not %s', (_, field, change) => {
    expect(notAskedFor(change, ASKED)).toBe(field);
  });

  test('is its custom deploy step together with its image, or alone', () => {
    const method = { method: 'x' };
    const both = { ...ASKED, customDeploy: method };
    expect(notAskedFor({ image: IMAGE, customDeploy: method }, both)).toBeUndefined();
    expect(notAskedFor({ image: IMAGE }, both)).toBe('customDeploy');
    expect(notAskedFor({ customDeploy: method }, { ...both, images: [] })).toBeUndefined();
  });
});

describe('a host', () => {
  const change: HostChange = {
    image: IMAGE,
    userData: secret('user'),
    automatedCleaningMode: 'metadata',
    online: true,
  };

  test('without an image gets all of a change', () => {
    expect(fillable(change, { hasImage: false, hasCustomDeploy: false })).toEqual(change);
  });

  test.each([
    ['an image', { hasImage: true, hasCustomDeploy: false }],
    ['a custom deploy step', { hasImage: false, hasCustomDeploy: true }],
  ])('with %s keeps it, and the data with which it was deployed', (_, host) => {
    expect(fillable(change, host)).toEqual({ automatedCleaningMode: 'metadata', online: true });
  });

  test('with an image loses it', () => {
    const removal = { image: null, online: false };
    expect(fillable(removal, { hasImage: true, hasCustomDeploy: false })).toEqual(removal);
  });
});
