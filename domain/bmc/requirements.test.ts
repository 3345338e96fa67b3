import { describe, expect, test } from 'vitest';
import { parseBmcAddress } from './address.ts';
import { type HostDemands, refusal, type Surroundings } from './requirements.ts';

const HOST: HostDemands = { inspectionMode: 'agent', bootMode: 'UEFI', disablePowerOff: false };
const AROUND: Surroundings = { provisioningNetworkDisabled: false, canKeepPowerOn: true };

function refused(text: string, host: Partial<HostDemands> = {}, around: Partial<Surroundings> = {}) {
  const result = parseBmcAddress(text, { fakeHardware: true });
  if (result.kind === 'invalid') throw new Error(result.message);
  return refusal(result.address, { ...HOST, ...host }, { ...AROUND, ...around });
}

describe('a host is refused', () => {
  test.each([
    ['ipmi://h', { inspectionMode: 'fast' }, {}, 'BMC driver ipmi does not support fast (out-of-band) inspection'],
    ['libvirt://h', { bootMode: 'UEFISecureBoot' }, {}, 'BMC driver libvirt does not support secure boot'],
    [
      'redfish+http://h',
      {},
      { provisioningNetworkDisabled: true },
      'BMC driver redfish+http requires a provisioning network',
    ],
    [
      'redfish://h',
      { disablePowerOff: true },
      { canKeepPowerOn: false },
      'current ironic version does not support DisablePowerOff, refusing to manage node',
    ],
    ['libvirt://h', {}, {}, 'BMC driver libvirt requires a BootMACAddress value'],
    ['redfish://h', { inspectionMode: 'disabled' }, {}, 'BMC driver redfish requires a BootMACAddress value'],
  ] as const)('%s %o', (text, host, around, message) => {
    expect(refused(text, host, around)).toBe(message);
  });
});

test('of several errors of a host the first of a fixed order is reported', () => {
  const all = { inspectionMode: 'fast', bootMode: 'UEFISecureBoot', disablePowerOff: true } as const;
  const around = { provisioningNetworkDisabled: true, canKeepPowerOn: false };
  const mended = [
    [all, around],
    [{ ...all, inspectionMode: 'disabled' }, around],
    [{ ...all, inspectionMode: 'disabled', bootMode: 'UEFI' }, around],
    [
      { ...all, inspectionMode: 'disabled', bootMode: 'UEFI' },
      { ...around, provisioningNetworkDisabled: false },
    ],
    [{ inspectionMode: 'disabled' }, {}],
    [{ inspectionMode: 'disabled', bootMACAddress: '00:11:22:33:44:55' }, {}],
  ] as const;
  expect(mended.map(([host, surroundings]) => refused('ipmi://h', host, surroundings))).toEqual([
    'BMC driver ipmi does not support fast (out-of-band) inspection',
    'BMC driver ipmi does not support secure boot',
    'BMC driver ipmi requires a provisioning network',
    'current ironic version does not support DisablePowerOff, refusing to manage node',
    'BMC driver ipmi requires a BootMACAddress value',
    undefined,
  ]);
});

describe('a host is taken', () => {
  test.each([
    [
      'redfish-virtualmedia://h',
      { bootMode: 'UEFISecureBoot', inspectionMode: 'fast' },
      { provisioningNetworkDisabled: true },
    ],
    ['libvirt://h', { bootMACAddress: '00:11:22:33:44:55' }, {}],
    ['fake-hardware://h', { inspectionMode: 'disabled' }, { provisioningNetworkDisabled: true }],
  ] as const)('%s %o', (text, host, around) => {
    expect(refused(text, host, around)).toBeUndefined();
  });
});
