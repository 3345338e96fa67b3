import { describe, expect, test } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { admittedHost } from '../../../test/builders/admission.ts';
import { IMAGE } from '../../../test/builders/host.ts';
import { anOrder } from '../../../test/builders/node.ts';
import type { PowerOrder, PrepareOrder, ProvisionOrder } from '../../ironic/orders.ts';
import { freshDeployment, freshOrder, freshPower, freshPreparation } from './fresh-order.ts';

const bmc = { address: 'redfish://10.0.0.1/redfish/v1/Systems/1', credentialsName: 'secret' };
const MADE_UP = anOrder({
  nodeId: 'n',
  bmc: { address: 'ipmi://elsewhere', credentialsName: 'other', disableCertificateVerification: true },
  bootMACAddress: '52:54:00:00:00:66',
  bootMode: 'legacy',
  architecture: 'riscv',
  inspectionMode: 'fast',
  automatedCleaningMode: 'disabled',
  disablePowerOff: true,
  preprovisioningNetworkDataName: 'any-secret',
  image: { url: 'http://evil/a', checksum: 'x' },
  customDeployMethod: 'evil',
});
const { host, nodeId } = MADE_UP;

const aHost = (spec: Partial<BareMetalHost['spec']>, status: object = {}): BareMetalHost => {
  const { status: shown, ...object } = admittedHost({ spec });
  return { ...object, status: Object.assign({}, shown, status) };
};

describe('an order with the fields of its host', () => {
  test('has all that the host names, whatever was ordered', () => {
    const spec = {
      bmc: { ...bmc, disableCertificateVerification: false },
      bootMACAddress: '52:54:00:00:00:01',
      architecture: 'aarch64',
      inspectionMode: 'agent' as const,
      automatedCleaningMode: 'metadata' as const,
      disablePowerOff: false,
      preprovisioningNetworkDataName: 'agent-network',
      image: IMAGE,
      customDeploy: { method: 'install' },
    };
    const { customDeploy, ...rest } = spec;
    expect(freshOrder(aHost(spec), MADE_UP)).toStrictEqual({
      host,
      nodeId,
      bootMode: MADE_UP.bootMode,
      ...rest,
      customDeployMethod: customDeploy.method,
    });
  });

  test('has the defaults where the host names nothing, and the architecture that was inspected', () => {
    expect(freshOrder(aHost({ bmc }), MADE_UP)).toStrictEqual({
      host,
      nodeId,
      bootMode: MADE_UP.bootMode,
      architecture: MADE_UP.architecture,
      bmc: { ...bmc, disableCertificateVerification: false },
      inspectionMode: 'agent',
      automatedCleaningMode: 'metadata',
      disablePowerOff: false,
      bootMACAddress: '',
      preprovisioningNetworkDataName: '',
    });
  });
});

const madeUpHints = { rootDeviceHints: { deviceName: '/dev/evil' } };

describe('a deployment with the fields of its host', () => {
  const order: ProvisionOrder = { ...MADE_UP, ...madeUpHints, retry: false };

  test('writes the image as the host describes it, with the login that it names', () => {
    const image = { url: 'oci://quay.io/os:1', ociAuthSecretName: 'pull' };
    const asked = { ...order, image: { ...image, ociAuthSecretName: 'any-secret', format: 'live-iso' as const } };
    expect(freshDeployment(aHost({ image }), asked).image).toStrictEqual(image);
    expect(freshDeployment(aHost({ customDeploy: { method: 'install' } }), asked)).not.toHaveProperty('image');
  });

  test('has the data that the host names, and no other', () => {
    const userData = { name: 'named' };
    const asked = { ...order, userData: { name: 'of another machine' }, metaData: { name: 'of another machine' } };
    const fresh = freshDeployment(aHost({ userData }), asked);
    expect(fresh.userData).toEqual(userData);
    expect(fresh).not.toHaveProperty('metaData');
  });

  test('belongs to the attempt that the host shows, whatever the order says', () => {
    const provision = { start: '2026-01-01T00:00:00Z', end: null };
    const asked = { ...order, attempt: 'made up' };
    const consumerRef = { namespace: 'metal', name: 'm1' };
    expect(freshDeployment(aHost({ consumerRef }, { operationHistory: { provision } }), asked).attempt).toBe(
      `${host.uid} ${provision.start} metal/m1`,
    );
    expect(freshDeployment(aHost({}), asked)).not.toHaveProperty('attempt');
  });

  const hints = { deviceName: '/dev/sdb' };
  test.each<[string, Partial<BareMetalHost['spec']>, object, object | undefined]>([
    ['the one of its spec', { rootDeviceHints: hints }, { hardwareProfile: 'unknown' }, hints],
    ['the one of its hardware profile', {}, { hardwareProfile: 'libvirt' }, { deviceName: '/dev/vda' }],
    ['any, by a profile without hints', {}, { hardwareProfile: 'empty' }, undefined],
    [
      'the volume that its spec marks',
      { raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] } },
      { hardwareProfile: 'unknown' },
      undefined,
    ],
    [
      'the one that another controller has chosen',
      {},
      { provisioning: { state: 'provisioning', ID: nodeId, rootDeviceHints: hints } },
      hints,
    ],
  ])('writes to %s', (_, spec, status, expected) => {
    expect(freshDeployment(aHost(spec, status), order).rootDeviceHints).toEqual(expected);
  });

  test.each([
    ['that was chosen when it began', { bootMode: 'UEFI' }, { bootMode: 'UEFISecureBoot' }, 'UEFISecureBoot'],
    ['of its spec', { bootMode: 'UEFISecureBoot' }, {}, 'UEFISecureBoot'],
    ['that is the default', {}, {}, 'UEFI'],
  ] as const)('boots in the mode %s', (_, spec, chosen, expected) => {
    const status = { provisioning: { state: 'provisioning', ID: nodeId, ...chosen } };
    expect(freshDeployment(aHost(spec, status), order).bootMode).toBe(expected);
  });
});

test('a preparation with the fields of its host marks the disk that the host names', () => {
  const order: PrepareOrder = { ...MADE_UP, ...madeUpHints, unprepared: true, retry: false };
  const spec = { bmc, rootDeviceHints: { wwn: 'w' } };
  expect(freshPreparation(aHost(spec), order)).toMatchObject({ ...spec, unprepared: true });
});

test('a change of power with the fields of its host aborts cleaning only if the host wants none', () => {
  const off: PowerOrder = { host, nodeId, on: false, mode: 'soft', force: false };
  const aborting = { ...off, cleaningDisabled: true as const };
  expect(freshPower(aHost({}), aborting)).toStrictEqual(off);
  expect(freshPower(aHost({ automatedCleaningMode: 'disabled' }), off)).toStrictEqual(aborting);
});
