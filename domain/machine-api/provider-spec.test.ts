import { describe, expect, test } from 'vitest';
import { hostWish } from './provider-spec.ts';

const IMAGE = { url: 'http://images/a.qcow2', checksum: 'http://images/a.qcow2.md5sum' };
const SPEC = { apiVersion: 'baremetal.cluster.k8s.io/v1alpha1', kind: 'BareMetalMachineProviderSpec' };
const CONFIG = { apiVersion: 'baremetalproviderconfig/v1alpha1', kind: 'BareMetalProviderConfig' };
const read = (value: unknown, defaults = {}) => hostWish(value, { namespace: 'metal' }, defaults);

describe('a providerSpec', () => {
  test('is read whole', () => {
    const value = {
      ...SPEC,
      image: IMAGE,
      userData: { name: 'worker-user-data' },
      hostSelector: {
        matchLabels: { rack: '7' },
        matchExpressions: [{ key: 'size', operator: 'In', values: ['big', 'huge'] }],
      },
    };
    expect(read(value)).toEqual({
      image: IMAGE,
      userData: { name: 'worker-user-data', namespace: 'metal' },
      hostSelector: value.hostSelector,
    });
  });

  test.each([
    ['needs no kind', { image: IMAGE }, { image: IMAGE }],
    [
      'may have a method instead of an image',
      { ...SPEC, customDeploy: { method: 'install_coreos' } },
      { customDeploy: { method: 'install_coreos' } },
    ],
    ['may have both', { image: IMAGE, customDeploy: { method: 'x' } }, { image: IMAGE, customDeploy: { method: 'x' } }],
    [
      'has its user data in the namespace of the Machine',
      { image: IMAGE, userData: { name: 'a', namespace: 'metal' } },
      { image: IMAGE, userData: { name: 'a', namespace: 'metal' } },
    ],
    [
      'may have empty fields',
      { image: IMAGE, userData: {}, hostSelector: {}, customDeploy: { method: '' } },
      { image: IMAGE, hostSelector: {} },
    ],
    ['may have metadata', { image: IMAGE, metadata: { creationTimestamp: null } }, { image: IMAGE }],
  ])('%s', (_, value, wish) => {
    expect(read(value)).toEqual(wish);
  });

  test.each([
    [undefined, 'ProviderSpec is missing'],
    [null, 'ProviderSpec is missing'],
    ['text', 'ProviderSpec: the value is not an object'],
    [{}, 'ProviderSpec: image.url, image.checksum missing'],
    [{ image: { url: IMAGE.url } }, 'ProviderSpec: image.checksum missing'],
    [{ image: { ...IMAGE, url: '' } }, 'ProviderSpec: image.url missing'],
    [{ image: IMAGE, imagee: {} }, 'ProviderSpec: unknown field imagee'],
    [{ image: { ...IMAGE, format: 'raw' } }, 'ProviderSpec: unknown field image.format'],
    [{ image: { ...IMAGE, url: 7 } }, 'ProviderSpec: image.url is not a text'],
    [{ image: IMAGE, customDeploy: { name: 'x' } }, 'ProviderSpec: unknown field customDeploy.name'],
    [{ image: IMAGE, userData: { secret: 'a' } }, 'ProviderSpec: unknown field userData.secret'],
    [
      { image: IMAGE, userData: { name: 'a', namespace: 'other' } },
      'ProviderSpec: userData.namespace must be metal, the namespace of the Machine',
    ],
    [{ image: IMAGE, hostSelector: { labels: {} } }, 'ProviderSpec: unknown field hostSelector.labels'],
    [
      { image: IMAGE, hostSelector: { matchLabels: { a: 1 } } },
      'ProviderSpec: hostSelector.matchLabels.a is not a text',
    ],
    [{ image: IMAGE, hostSelector: { matchLabels: [] } }, 'ProviderSpec: hostSelector.matchLabels is not an object'],
    [
      { image: IMAGE, hostSelector: { matchExpressions: {} } },
      'ProviderSpec: hostSelector.matchExpressions is not a list',
    ],
    [
      { image: IMAGE, hostSelector: { matchExpressions: [{ key: 'a', operator: 'In', value: 'b', values: [1] }] } },
      'ProviderSpec: unknown field hostSelector.matchExpressions[0].value; hostSelector.matchExpressions[0].values is not a list of texts',
    ],
    [{ ...SPEC, selector: {} }, 'ProviderSpec: unknown field selector'],
    [
      { kind: 'AWSMachineProviderConfig', image: IMAGE },
      'ProviderSpec: kind "AWSMachineProviderConfig" is neither BareMetalMachineProviderSpec nor BareMetalProviderConfig',
    ],
  ])('%j is refused: %s', (value, invalid) => {
    expect(read(value)).toEqual({ invalid });
  });
});

describe('a BareMetalProviderConfig of the first documents', () => {
  const value = { ...CONFIG, selector: { 'node-profile': 'master' } };

  test('selects hosts by labels, and gets image and user data from the configuration', () => {
    expect(read(value, { image: IMAGE, userData: 'user-data' })).toEqual({
      image: IMAGE,
      userData: { name: 'user-data', namespace: 'metal' },
      hostSelector: { matchLabels: { 'node-profile': 'master' } },
    });
    expect(read(CONFIG, { image: IMAGE })).toEqual({ image: IMAGE });
  });

  test('is invalid without a configured image', () => {
    expect(read(value)).toEqual({
      invalid:
        'BareMetalProviderConfig names no image, and no default is configured: set MACHINE_API_IMAGE_URL and MACHINE_API_IMAGE_CHECKSUM',
    });
  });

  test.each([
    [{ ...value, image: IMAGE }, 'ProviderSpec: unknown field image'],
    [{ ...CONFIG, selector: { a: true } }, 'ProviderSpec: selector.a is not a text'],
  ])('%j is refused: %s', (given, invalid) => {
    expect(read(given, { image: IMAGE })).toEqual({ invalid });
  });
});
