import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { z } from 'zod';
import { readManifestFile } from '../../lab/control-plane/manifest.ts';
import { firstRefusal, openScene, PATIENCE, refusedBy, type Scene } from './webhooks/harness.ts';

const bmc = (address: string) => ({ bmc: { address, credentialsName: 'secret' } });
const aHost = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'metal3.io/v1alpha1',
  kind: 'BareMetalHost',
  metadata: { name, ...metadata },
  spec: { online: true, ...bmc('redfish://10.0.0.1/redfish/v1/Systems/1'), ...spec },
});
const refused = (message: string): string => refusedBy('baremetalhost', message);

describe('an API server that asks the bridge', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(inject('kubeconfig'));
    const webhooks = await scene.start({ WEBHOOK_CERTIFICATES: 'self-managed' });
    await scene.register(webhooks);
    await firstRefusal(scene);
  });
  afterAll(() => scene.end());

  const annotated = (key: string, value: string) => ({ annotations: { [key]: value } });
  const image = (change: object) => ({ image: { url: 'http://images/i', checksum: 'abc', ...change } });

  test.each<[string, object, object, string]>([
    ['BMC', bmc('test:127.0.1.1'), {}, "Unknown BMC type 'test' for address test:127.0.1.1"],
    [
      'BMC address',
      bmc('ipmi://-h.example.org'),
      {},
      'failed to parse BMC address information: BMC address hostname/IP : [-h.example.org] is invalid',
    ],
    [
      'firmware settings',
      { firmware: { sriovEnabled: true } },
      {},
      'the Firmware field is no longer supported, use HostFirmwareSettings resource instead',
    ],
    [
      'user data',
      { userData: { name: 's', namespace: 'elsewhere' } },
      {},
      'baremetalhosts.metal3.io "node" is forbidden: userData: cross-namespace Secret references are not allowed',
    ],
    [
      'RAID',
      { raid: { hardwareRAIDVolumes: [{ level: '1' }], softwareRAIDVolumes: [{ level: '1' }] } },
      {},
      'hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time',
    ],
    [
      'RAID of a BMC without it',
      { ...bmc('ipmi://h'), raid: { hardwareRAIDVolumes: [{ level: '1' }] } },
      {},
      'BMC driver ipmi does not support configuring RAID',
    ],
    ['missing MAC address', bmc('libvirt://h'), {}, 'BMC driver libvirt requires a BootMACAddress value'],
    [
      'MAC address',
      { bootMACAddress: '52:54:00:00:00:01:02' },
      {},
      'address 52:54:00:00:00:01:02: invalid MAC address',
    ],
    [
      'root device',
      { rootDeviceHints: { deviceName: 'sda' } },
      {},
      'device name of root device hint must be a /dev/ path, not "sda"',
    ],
    ['image', image({ url: 'test1' }), {}, 'image URL test1 is invalid: not a valid absolute URL'],
    ['checksum', image({ checksum: '' }), {}, 'checksum is required for normal images'],
    [
      'status to restore',
      {},
      annotated('baremetalhost.metal3.io/status', '{"errorType":"x"}'),
      "invalid errorType 'x' in the baremetalhost.metal3.io/status annotation",
    ],
    [
      'reboot',
      {},
      annotated('reboot.metal3.io', 'hard'),
      'failed to unmarshal the data from the reboot.metal3.io annotation: not valid JSON',
    ],
    [
      'inspection',
      {},
      annotated('inspect.metal3.io', 'yes'),
      'invalid value for the inspect.metal3.io annotation, allowed are "disabled" or ""',
    ],
    [
      'hardware details',
      {},
      annotated('inspect.metal3.io/hardwaredetails', '{}'),
      'when hardware details are provided, inspection must be disabled (either via inspect.metal3.io annotation or inspectionMode field)',
    ],
    [
      'mode of inspection',
      { ...bmc('ipmi://h'), inspectionMode: 'fast' },
      {},
      'BMC driver ipmi does not support fast (out-of-band) inspection',
    ],
    [
      'power',
      { online: false, disablePowerOff: true },
      {},
      "node can't simultaneously have online set to false and have power off disabled",
    ],
    [
      'network interface',
      { networkInterfaces: [{}] },
      {},
      'networkInterfaces[0]: must specify either name or macAddress',
    ],
  ])('refuses a host with what is wrong with its %s', async (_, spec, metadata, message) => {
    expect(await scene.create('baremetalhosts', aHost('node', spec, metadata))).toBe(refused(message));
  });

  test('tells who names a host like a node that this is not allowed', async () => {
    const uuid = '3f2504e0-4f89-11d3-9a0c-0305e82c3301';
    expect(await scene.create('baremetalhosts', aHost(uuid))).toBe(
      refused('BareMetalHost resource name cannot be a UUID'),
    );
  });

  test('tells all that is wrong at once', async () => {
    expect(await scene.create('baremetalhosts', aHost('node', { ...image({ checksum: '' }), firmware: {} }))).toBe(
      refused(
        '[the Firmware field is no longer supported, use HostFirmwareSettings resource instead, checksum is required for normal images]',
      ),
    );
  });

  test('accepts a host that is in order, and judges how it is changed', async () => {
    const change = (spec: object) => scene.patch('baremetalhosts', 'good', { spec });
    const become = (state: string, operationalStatus = 'OK') =>
      scene.patch(
        'baremetalhosts',
        'good',
        {
          status: {
            operationalStatus,
            errorMessage: '',
            errorCount: 0,
            provisioningFailCount: 0,
            poweredOn: false,
            provisioning: { state, ID: '' },
          },
        },
        '/status',
      );
    expect(await scene.create('baremetalhosts', aHost('good'))).toBe('accepted');
    expect(await become('inspecting')).toBe('accepted');

    expect(await change({ bootMACAddress: '52:54:00:00:00:0a' })).toBe('accepted');
    expect(await change({ bootMACAddress: '52:54:00:00:00:0A' })).toBe('accepted');
    expect(await change({ bootMACAddress: '52:54:00:00:00:0b' })).toBe(
      refused('bootMACAddress can not be changed once it is set'),
    );

    expect(await change(bmc('redfish://10.0.0.2'))).toBe(
      refused(
        'BMC address can not be changed if the BMH is not in the Registering state, or if the BMH is not detached',
      ),
    );
    expect(await become('registering')).toBe('accepted');
    expect(await change(bmc('redfish://10.0.0.2'))).toBe('accepted');
    expect(await become('provisioned', 'detached')).toBe('accepted');
    expect(await change(bmc('redfish://10.0.0.3'))).toBe('accepted');

    expect(await change({ externallyProvisioned: true })).toBe(
      refused('externallyProvisioned can only be enabled when in Available state, currently in provisioned'),
    );
    expect(await become('available')).toBe('accepted');
    expect(await change({ externallyProvisioned: true })).toBe('accepted');
  });

  describe('what somebody writes to annotations of a host', () => {
    const manifests = fileURLToPath(new URL('../../deploy/kubernetes/base/accounts.yaml', import.meta.url));
    const RIGHTS = readManifestFile(manifests)
      .filter(({ kind }) => kind === 'ClusterRole')
      .flatMap((one) => z.object({ rules: z.array(z.looseObject({})) }).parse(one).rules);
    const writes = { apiGroups: ['metal3.io'], resources: ['baremetalhosts'], verbs: ['get', 'patch'] };
    const temper = [...RIGHTS, writes];
    const wrong = (by: string) => ({ metadata: { annotations: { 'temper/quarantine': by + 'r'.repeat(301) } } });
    const spec = { image: { url: 'test1', checksum: 'abc' }, online: true };

    test('is not asked about with the rights of bridge and workers, under whatever name', async () => {
      expect(await scene.create('baremetalhosts', aHost('own'))).toBe('accepted');
      expect(await scene.patchAs(temper, 'own', wrong('temper'))).toBe('accepted');
      const { image } = spec;
      expect(await scene.patchAs(temper, 'own', { spec: { image } })).toBe(
        refused('image URL test1 is invalid: not a valid absolute URL'),
      );
    });

    test('is not asked about for a host without a spec, until it gets one', async () => {
      const blank = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata: { name: 'blank' } };
      expect(await scene.create('baremetalhosts', blank)).toBe('accepted');
      for (const finalizers of [['test/stays'], []])
        expect(await scene.patchAs(temper, 'blank', { metadata: { finalizers } })).toBe('accepted');
      expect(await scene.patchAs(temper, 'blank', { spec })).toBe(
        refused('image URL test1 is invalid: not a valid absolute URL'),
      );
    });

    test.each([
      ['may write hosts alone', [writes]],
      ['may do everything', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]],
      ['may do everything with hosts', [{ apiGroups: ['metal3.io'], resources: ['*'], verbs: ['*'] }]],
    ])('is asked about when he %s', async (_, rights) => {
      const name = `of-${randomBytes(4).toString('hex')}`;
      expect(await scene.create('baremetalhosts', aHost(name))).toBe('accepted');
      expect(await scene.patchAs(rights, name, wrong('others'))).toContain('longer than 300 characters');
    });
  });

  test('refuses a malformed annotation that steers a host, also while it is deleted, and leaves unknown ones alone', async () => {
    const annotate = (annotations: object) => scene.patch('baremetalhosts', 'steered', { metadata: { annotations } });
    const invalid = (key: string, value: string, detail: string): string =>
      refusedBy(
        'baremetalhost',
        `BareMetalHost.metal3.io "steered" is invalid: metadata.annotations[${key}]: Invalid value: "${value}": ${detail}`,
      ).replace(/^403/, '422');
    expect(await scene.create('baremetalhosts', aHost('steered', {}, { finalizers: ['test/stays'] }))).toBe('accepted');
    expect(await annotate({ 'temper/quarantine': 'the fan is loud', 'temper/of-tomorrow': '{' })).toBe('accepted');
    const long = 'r'.repeat(301);
    expect(await annotate({ 'temper/quarantine': long })).toBe(
      invalid('temper/quarantine', long, 'the reason is longer than 300 characters'),
    );
    expect(await scene.remove('baremetalhosts', 'steered')).toBe('accepted');
    expect(await annotate({ 'temper/force-delete': 'another' })).toBe(
      invalid(
        'temper/force-delete',
        'another',
        'must be the name of the host, steered, which confirms its deletion by force',
      ),
    );
    expect(await annotate({ 'temper/force-delete': 'steered' })).toBe('accepted');
    expect(await scene.patch('baremetalhosts', 'steered', { metadata: { finalizers: [] } })).toBe('accepted');
  });

  test('judges DataImages', async () => {
    const dataImage = (url: string) => ({
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'DataImage',
      metadata: { name: 'good' },
      spec: { url },
    });
    expect(await scene.create('dataimages', dataImage('http://images/data.iso'))).toBe('accepted');
    expect(await scene.patch('dataimages', 'good', { spec: { url: 'data.iso' } })).toBe(
      refusedBy('dataimage', 'URL "data.iso" is invalid: not a valid absolute URL'),
    );
  });

  test('allows the deletion of a host that broke every rule before there were any', async () => {
    const other = await openScene(inject('kubeconfig'));
    try {
      const broken = aHost('broken', { firmware: {} }, { finalizers: ['example.com/kept'] });
      expect(await other.create('baremetalhosts', broken)).toBe('accepted');
      const webhooks = await other.start({ WEBHOOK_CERTIFICATES: 'self-managed' });
      await other.register(webhooks);
      await vi.waitFor(
        async () =>
          expect(await other.patch('baremetalhosts', 'broken', { spec: { online: false } })).toMatch(/^403 admission/),
        PATIENCE,
      );

      expect(await other.remove('baremetalhosts', 'broken')).toBe('accepted');
      expect(await other.patch('baremetalhosts', 'broken', { metadata: { finalizers: null } })).toBe('accepted');
      expect(await other.patch('baremetalhosts', 'broken', {})).toMatch(/^404/);
    } finally {
      await other.end();
    }
  });
});
