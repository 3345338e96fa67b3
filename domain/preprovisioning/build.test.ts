import { describe, expect, test } from 'vitest';
import { type ImageToBuild, nextStatus } from './build.ts';
import { type AgentUrls, imageFor } from './urls.ts';

const URLS: AgentUrls = {
  iso: { base: 'http://i/agent.iso', byArchitecture: { AARCH64: 'http://i/arm.iso' } },
  kernel: { base: 'http://i/kernel', byArchitecture: {} },
  ramdisk: { base: 'http://i/ramdisk', byArchitecture: {} },
};
const NINE = Date.parse('2026-01-01T09:00:00.123Z');
const TEN = Date.parse('2026-01-01T10:00:00Z');

const anImage = (change: Partial<ImageToBuild> = {}): ImageToBuild => ({
  generation: 1,
  spec: { architecture: 'x86_64', acceptFormats: ['iso', 'initrd'] },
  status: {},
  networkDataVersion: null,
  ...change,
});

/** All statuses of an image until nothing changes any more, as [Ready, its message, URL]. */
function life(image: ImageToBuild, urls = URLS, now = NINE) {
  const told: unknown[] = [];
  for (let { status } = image; ; ) {
    const next = nextStatus({ ...image, status }, urls, now);
    if (JSON.stringify(next) === JSON.stringify(status)) return { status, told };
    const ready = next.conditions?.find(({ type }) => type === 'Ready');
    told.push([ready?.status, ready?.message, next.imageUrl]);
    status = next;
  }
}

describe('an image', () => {
  test('is shown with what it is made from before it is there', () => {
    const { status, told } = life(anImage());
    expect(told).toEqual([
      ['False', 'Config changed', undefined],
      ['True', 'Generated image', 'http://i/agent.iso'],
    ]);
    const common = { reason: 'ImageSuccess', observedGeneration: 1, lastTransitionTime: '2026-01-01T09:00:00Z' };
    expect(status).toEqual({
      format: 'iso',
      architecture: 'x86_64',
      networkData: {},
      imageUrl: 'http://i/agent.iso',
      conditions: [
        { type: 'Ready', status: 'True', message: 'Generated image', ...common },
        { type: 'Error', status: 'False', message: '', ...common },
      ],
    });
  });

  test('that is outdated is not ready before anything else changes', () => {
    const { status } = life(anImage());
    const changed = anImage({ generation: 2, status, spec: { architecture: 'aarch64', acceptFormats: ['iso'] } });
    expect(life(changed, URLS, TEN).told).toEqual([
      ['False', 'Config changed', 'http://i/agent.iso'],
      ['False', 'Config changed', undefined],
      ['True', 'Generated image', 'http://i/arm.iso'],
    ]);
  });

  test('keeps the time since when it is ready while its spec changes in nothing that matters', () => {
    const { status } = life(anImage());
    const { conditions } = life(
      anImage({ generation: 2, status, spec: { architecture: 'x86_64', acceptFormats: ['iso'] } }),
      URLS,
      TEN,
    ).status;
    expect(conditions?.[0]).toMatchObject({ observedGeneration: 2, lastTransitionTime: '2026-01-01T09:00:00Z' });
  });

  test('of a host that boots no ISO is a ramdisk with its kernel', () => {
    const spec = { architecture: 'x86_64', acceptFormats: ['initrd'] } as const;
    expect(life(anImage({ spec })).status).toMatchObject({
      format: 'initrd',
      imageUrl: 'http://i/ramdisk',
      kernelUrl: 'http://i/kernel',
    });
  });

  test('follows the version of its network data', () => {
    const spec = { networkDataName: 'net', acceptFormats: ['iso'] } as const;
    const { status } = life(anImage({ spec, networkDataVersion: '7' }));
    expect(status.networkData).toEqual({ name: 'net', version: '7' });
    expect(life(anImage({ spec, networkDataVersion: '8', status })).told[0]).toEqual([
      'False',
      'Config changed',
      'http://i/agent.iso',
    ]);
  });

  test.each([
    [
      'without its Secret',
      { networkDataName: 'net', acceptFormats: ['iso'] },
      'MissingNetworkData',
      'NetworkData secret not found',
    ],
    ['in no format there is', { acceptFormats: [] }, 'ConfigurationError', 'No acceptable image format supported'],
  ] as const)('%s fails and has no address', (_, spec, reason, message) => {
    const { status } = life(anImage());
    const failed = life(anImage({ spec, status })).status;
    expect(failed).not.toHaveProperty('imageUrl');
    expect(failed.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason, message: '' },
      { type: 'Error', status: 'True', reason, message },
    ]);
  });

  test('is a ramdisk only where there is a kernel for it', () => {
    const { kernel: _, ...urls } = URLS;
    const spec = { acceptFormats: ['initrd'] } as const;
    const { status } = life(anImage({ spec }), { ...urls, kernel: { byArchitecture: {} } });
    expect(status.conditions?.[1]).toMatchObject({ status: 'True', message: 'No acceptable image format supported' });
  });
});

test('an image of an architecture of its own comes before the general one', () => {
  expect(imageFor(URLS, 'iso', 'aarch64').url).toBe('http://i/arm.iso');
  expect(imageFor(URLS, 'iso', 'riscv64').url).toBe('http://i/agent.iso');
});
