import { describe, expect, test } from 'vitest';
import type { StoredCondition } from '../../api/meta/conditions.ts';
import { asksFor, type ImageFacts, verdictOn } from './image.ts';

const claim = (
  type: string,
  status: StoredCondition['status'],
  change: Partial<StoredCondition> = {},
): StoredCondition => ({
  type,
  status,
  reason: 'ImageSuccess',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 2,
  ...change,
});

const BUILT = {
  format: 'iso',
  imageUrl: 'http://images/agent.iso',
  architecture: 'x86_64',
  networkData: { name: 'net', version: '7' },
  conditions: [claim('Ready', 'True'), claim('Error', 'False')],
} as const;

const anImage = ({ status, spec, ...rest }: Partial<ImageFacts> = {}): ImageFacts => ({
  resourceVersion: '1',
  generation: 2,
  spec: { networkDataName: 'net', architecture: 'x86_64', acceptFormats: ['iso', 'initrd'], ...spec },
  status: { ...BUILT, ...status },
  deleting: false,
  hasFinalizer: true,
  labelled: true,
  ...rest,
});

describe('an image that was built', () => {
  test('is used once it is ready for its spec and its network data', () => {
    const image = { format: 'iso', url: 'http://images/agent.iso' };
    expect(verdictOn(anImage(), '7')).toEqual({ kind: 'usable', image });
  });

  test('comes with its kernel and parameters when it is an initrd', () => {
    const status = { format: 'initrd', kernelUrl: 'http://images/kernel', extraKernelParams: 'debug' } as const;
    expect(verdictOn(anImage({ status }), '7')).toMatchObject({
      image: { format: 'initrd', kernelUrl: 'http://images/kernel', extraKernelParams: 'debug' },
    });
  });

  test.each<[string, Partial<ImageFacts>]>([
    ['for another architecture', { status: { architecture: 'aarch64' } }],
    ['in a format that is not accepted', { spec: { acceptFormats: ['initrd'] } }],
    ['from another Secret', { status: { networkData: { name: 'old', version: '7' } } }],
    ['from an older version of the Secret', { status: { networkData: { name: 'net', version: '6' } } }],
    ['but is not ready', { status: { conditions: [claim('Ready', 'False')] } }],
    ['for an older spec', { status: { conditions: [claim('Ready', 'True', { observedGeneration: 1 })] } }],
    ['and given up by its host while it is deleted', { deleting: true, hasFinalizer: false }],
  ])('%s is waited for', (_, change) => {
    expect(verdictOn(anImage(change), '7')).toEqual({ kind: 'pending' });
  });

  test('is used to the last while it is deleted and its host holds on to it', () => {
    const image = anImage({ deleting: true, status: { conditions: [] } });
    expect(verdictOn(image, '8').kind).toBe('usable');
  });
});

test('an image that can not be built says why', () => {
  const image = anImage({ status: { conditions: [claim('Error', 'True', { message: 'no space left' })] } });
  expect(verdictOn(image, '7')).toEqual({ kind: 'broken', message: 'no space left' });
});

describe('a PreprovisioningImage', () => {
  const wish = { networkDataName: 'net', architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] } as const;

  test('that asks for what its host needs is left alone', () => {
    expect(asksFor(anImage(), wish)).toBe(true);
  });

  test('keeps the architecture it was given for a host that knows none', () => {
    const { architecture: _, ...unknown } = wish;
    expect(asksFor(anImage({ spec: { architecture: 'aarch64' } }), unknown)).toBe(true);
  });

  test.each<[string, Partial<ImageFacts>]>([
    ['lost the finalizer of its host', { hasFinalizer: false }],
    ['lacks a label of its host', { labelled: false }],
    ['names another Secret', { spec: { networkDataName: 'old' } }],
    ['is for another architecture', { spec: { architecture: 'aarch64' } }],
    ['accepts other formats', { spec: { acceptFormats: ['initrd'] } }],
  ])('that %s is changed, unless it is being deleted', (_, change) => {
    expect(asksFor(anImage(change), wish)).toBe(false);
    expect(asksFor(anImage({ ...change, deleting: true }), wish)).toBe(true);
  });
});
