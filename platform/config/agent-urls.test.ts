import { describe, expect, test } from 'vitest';
import { readAgentUrls } from './agent-urls.ts';

const iso = (env: Record<string, string>) => readAgentUrls(env).iso;

describe('the operator’s images', () => {
  test('are one for all architectures', () => {
    expect(readAgentUrls({ DEPLOY_KERNEL_URL: 'http://k', DEPLOY_RAMDISK_URL: 'http://r' })).toEqual({
      iso: { byArchitecture: {} },
      kernel: { base: 'http://k', byArchitecture: {} },
      ramdisk: { base: 'http://r', byArchitecture: {} },
    });
  });

  test('of one architecture come from its own variable, failing that from the list', () => {
    const env = {
      DEPLOY_ISO_URL: 'http://all',
      DEPLOY_ISO_URL_AARCH64: 'http://arm',
      DEPLOY_ISO_BY_ARCH: 'aarch64:http://listed-arm,x86_64:http://listed:80/x,X86_64:http://second,broken',
    };
    expect(iso(env)).toEqual({
      base: 'http://all',
      byArchitecture: { AARCH64: 'http://arm', X86_64: 'http://listed:80/x' },
    });
  });

  test('that are given without an address do not count', () => {
    expect(iso({ DEPLOY_ISO_URL: '', DEPLOY_ISO_URL_ARM: '', DEPLOY_ISO_BY_ARCH: 'x86_64:' })).toEqual({
      byArchitecture: {},
    });
  });
});
