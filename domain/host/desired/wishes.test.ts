import { describe, expect, test } from 'vitest';
import { aHost } from '../../../test/builders/host.ts';
import { hardwareProfile, nodeOrder } from './wishes.ts';

describe('hardware profiles', () => {
  const profileOf = (seen: NonNullable<Parameters<typeof aHost>[0]>['seen'], status = {}) =>
    hardwareProfile(aHost({ ...(seen !== undefined && { seen }), status }));
  test('are the spec’s own, else by the kind of BMC, and stay once chosen', () => {
    expect(profileOf({ spec: { hardwareProfile: 'dell' } })).toBe('dell');
    expect(profileOf({ spec: { bmc: { address: 'libvirt://x', credentialsName: 'x' } } })).toBe('libvirt');
    expect(profileOf({})).toBe('unknown');
    expect(profileOf({ spec: { hardwareProfile: 'dell' } }, { hardwareProfile: 'libvirt' })).toBe('libvirt');
  });
});

describe('the order for a node', () => {
  test('holds what the spec says and leaves out what it does not', () => {
    const spec = {
      architecture: 'aarch64',
      disablePowerOff: true,
      preprovisioningNetworkDataName: 'net',
      customDeploy: { method: 'm' },
    };
    expect(nodeOrder(aHost({ seen: { spec } }))).toMatchObject({
      architecture: 'aarch64',
      disablePowerOff: true,
      preprovisioningNetworkDataName: 'net',
      customDeployMethod: 'm',
    });
    expect(nodeOrder(aHost())).not.toHaveProperty('architecture');
    expect(nodeOrder({ ...aHost(), architecture: 'x86_64' }).architecture).toBe('x86_64');
  });
});
