import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { admittedHost, bmc, type Change, MAC, refusal, schemas } from '../../test/builders/admission.ts';
import { hostRules } from './baremetalhost.ts';

const IMAGE = { url: 'http://images/i', checksum: 'abc' };
const annotated = (key: string, value: string, spec: Partial<BareMetalHostSpec> = {}) => ({
  annotations: { [key]: value },
  spec,
});
const status = (value: string) => annotated('baremetalhost.metal3.io/status', value);
const details = (
  value: string,
  spec: Partial<BareMetalHostSpec> = { inspectionMode: 'disabled', bootMACAddress: MAC },
) => annotated('inspect.metal3.io/hardwaredetails', value, spec);
const hardwareVolume = { level: '1' } as const;
const softwareVolume = { level: '1', rootVolume: false } as const;

test('a host whose live ISO does not use its data is accepted with a warning', () => {
  const warned = (spec: Partial<BareMetalHostSpec>) =>
    hostRules({ schemas, fakeHardware: false }).warnings?.(admittedHost({ spec }));
  const image = { url: 'http://images/i.iso', format: 'live-iso' as const };
  expect(warned({ image, userData: { name: 'u' }, rootDeviceHints: { model: 'x' } })).toEqual([
    'spec.userData, spec.rootDeviceHints have no effect: the image is a live ISO, which gets no config drive and is written to no disk',
  ]);
  expect(warned({ image })).toEqual([]);
});

describe('a new host is accepted', () => {
  test.each<[string, Change]>([
    ['with a BMC and nothing more', {}],
    ['without a BMC', { spec: bmc('') }],
    [
      'without a BMC that could ask for a MAC address or know of secure boot',
      { spec: { ...bmc(''), bootMACAddress: `x${MAC}`, bootMode: 'UEFISecureBoot', inspectionMode: 'disabled' } },
    ],
    ['that something else installed', { spec: { externallyProvisioned: true } }],
    ['with a BMC whose scheme has no slashes after it', { spec: bmc('redfish-virtualmedia:10.0.0.1') }],
    ['with a host name as its BMC', { spec: bmc('my-bmc.example.com') }],
    ['with the MAC address that its BMC asks for', { spec: { ...bmc('libvirt://h'), bootMACAddress: MAC } }],
    ['with secure boot on a BMC that has it', { spec: { bootMode: 'UEFISecureBoot' } }],
    ['with hardware RAID on a BMC that has it', { spec: { raid: { hardwareRAIDVolumes: [hardwareVolume] } } }],
    ['with empty lists of volumes', { spec: { raid: { hardwareRAIDVolumes: [], softwareRAIDVolumes: null } } }],
    [
      'with one root volume of level 1',
      { spec: { raid: { softwareRAIDVolumes: [{ ...softwareVolume, rootVolume: true }] } } },
    ],
    [
      'with as many named disks as it counts',
      {
        spec: {
          raid: {
            hardwareRAIDVolumes: [{ level: '1', controller: 'c', physicalDisks: ['a'], numberOfPhysicalDisks: 1 }],
          },
        },
      },
    ],
    ['with a root device', { spec: { rootDeviceHints: { deviceName: '/dev/sda' } } }],
    ['with a root device by path', { spec: { rootDeviceHints: { deviceName: '/dev/disk/by-path/pci-1' } } }],
    ['with hints that name no device', { spec: { rootDeviceHints: { model: 'x' } } }],
    ['with an image and its checksum', { spec: { image: IMAGE } }],
    ...(['https', 'ftp', 'gopher', 'HTTP'] as const).map((scheme): [string, Change] => [
      `with an image by ${scheme}`,
      { spec: { image: { ...IMAGE, url: `${scheme}://images/i` } } },
    ]),
    [
      'with an image for a custom deployment and its checksum',
      { spec: { image: IMAGE, customDeploy: { method: 'm' } } },
    ],
    ['with an image from a registry', { spec: { image: { url: 'oci://registry/i' } } }],
    ['with a live ISO', { spec: { image: { url: 'http://images/i.iso', format: 'live-iso' } } }],
    ['with Secrets of its own namespace', { spec: { userData: { name: 's', namespace: 'metal' }, metaData: {} } }],
    ['with a status to restore', status('{"operationalStatus":"OK","errorType":"provisioning error"}')],
    ['with an empty status to restore', status('')],
    ['with a reboot asked for', annotated('reboot.metal3.io', '')],
    ['with a hard reboot asked for', annotated('reboot.metal3.io/me', '{"mode":"hard","force":true,"later":1}')],
    ['with an inspection asked for', annotated('inspect.metal3.io', '')],
    ['with hardware details and no inspection', details('{"hostname":"h"}')],
    [
      'with hardware details and no inspection, the old way',
      {
        annotations: { 'inspect.metal3.io': 'disabled', 'inspect.metal3.io/hardwaredetails': '{}' },
        spec: { bootMACAddress: MAC },
      },
    ],
    ['with empty hardware details', details('', {})],
    [
      'with inspection disabled twice',
      {
        annotations: { 'inspect.metal3.io': 'disabled' },
        spec: { inspectionMode: 'disabled', bootMACAddress: MAC },
      },
    ],
    [
      'with a mode of inspection and an inspection asked for',
      annotated('inspect.metal3.io', '', { inspectionMode: 'agent' }),
    ],
    ['with fast inspection by Redfish', { spec: { inspectionMode: 'fast' } }],
    ['with fast inspection and no BMC yet', { spec: { ...bmc(''), inspectionMode: 'fast' } }],
    ['that is never to be off and is on', { spec: { disablePowerOff: true } }],
    ['with annotations of others', annotated('reboot.metal3.iox', 'x')],
    [
      'with interfaces by name and by MAC address',
      {
        spec: { networkInterfaces: [{ name: 'eno1' }, { macAddress: MAC }] },
      },
    ],
  ])('%s', (_, change) => {
    expect(refusal(admittedHost(change))).toBeUndefined();
  });
});

describe('a new host is refused', () => {
  test.each<[string, Change, string]>([
    ['on a BMC of unknown type', { spec: bmc('test:127.0.1.1') }, "Unknown BMC type 'test' for address test:127.0.1.1"],
    [
      'on a BMC that has no name',
      { spec: bmc('ipmi://-h.example.org') },
      'failed to parse BMC address information: BMC address hostname/IP : [-h.example.org] is invalid',
    ],
    [
      'on a BMC whose address is no URL',
      { spec: bmc('ipmi://[@]host.example.com') },
      'failed to parse BMC address information: "ipmi://[@]host.example.com" is not a valid URL',
    ],
    [
      'with firmware settings',
      { spec: { firmware: {} } },
      'the Firmware field is no longer supported, use HostFirmwareSettings resource instead',
    ],
    ...(['userData', 'networkData', 'metaData'] as const).map((field): [string, Change, string] => [
      `with a Secret of another namespace as ${field}`,
      { spec: { [field]: { name: 's', namespace: 'other' } } },
      `baremetalhosts.metal3.io "node-1" is forbidden: ${field}: cross-namespace Secret references are not allowed`,
    ]),
    [
      'with RAID in hardware and in software',
      { spec: { raid: { hardwareRAIDVolumes: [hardwareVolume], softwareRAIDVolumes: [softwareVolume] } } },
      'hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time',
    ],
    [
      'with disks that no controller is named for',
      { spec: { raid: { hardwareRAIDVolumes: [hardwareVolume, { level: '0', physicalDisks: ['a'] }] } } },
      "'physicalDisks' specified without 'controller' in hardware RAID volume 1",
    ],
    [
      'with more disks than it names',
      {
        spec: {
          raid: {
            hardwareRAIDVolumes: [{ level: '0', controller: 'c', physicalDisks: ['a', 'b'], numberOfPhysicalDisks: 3 }],
          },
        },
      },
      "the 'numberOfPhysicalDisks'[3] and number of 'physicalDisks'[2] is not same for volume 0",
    ],
    [
      'with two root volumes',
      {
        spec: {
          raid: {
            softwareRAIDVolumes: [
              { level: '1', rootVolume: true },
              { level: '1', rootVolume: true },
            ],
          },
        },
      },
      'softwareRAIDVolumes[*].rootVolume can only be set once',
    ],
    [
      'with a root volume and a root device',
      {
        spec: {
          rootDeviceHints: { deviceName: '/dev/sda' },
          raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] },
        },
      },
      'softwareRAIDVolumes[*].rootVolume and rootDeviceHints can not be set at the same time',
    ],
    [
      'with a root volume that a broken disk takes down',
      { spec: { raid: { softwareRAIDVolumes: [softwareVolume, { level: '1+0', rootVolume: true }] } } },
      'softwareRAIDVolumes[1] with rootVolume set must use RAID level 1',
    ],
    [
      'with hardware RAID on a BMC without it',
      { spec: { ...bmc('ipmi://h'), raid: { hardwareRAIDVolumes: [hardwareVolume] } } },
      'BMC driver ipmi does not support configuring RAID',
    ],
    [
      'without the MAC address that its BMC asks for',
      { spec: bmc('libvirt://h') },
      'BMC driver libvirt requires a BootMACAddress value',
    ],
    [
      'without a MAC address that nobody will find out',
      { spec: { ...bmc('idrac-virtualmedia+https://h'), inspectionMode: 'disabled' } },
      'BMC driver idrac-virtualmedia+https requires a BootMACAddress value',
    ],
    [
      'with a MAC address in the middle of something',
      { spec: { bootMACAddress: `x${MAC}` } },
      `address x${MAC}: invalid MAC address`,
    ],
    [
      'with secure boot on a BMC without it',
      { spec: { ...bmc('libvirt://h'), bootMACAddress: MAC, bootMode: 'UEFISecureBoot' } },
      'BMC driver libvirt does not support secure boot',
    ],
    [
      'with a name that is none',
      { name: 'a b' },
      'BareMetalHost resource name cannot contain characters other than [A-Za-z0-9._-]',
    ],
    ...['3f2504e0-4f89-11d3-9a0c-0305e82c3301', '3f2504e04f8911d39a0c0305e82c3301'].map(
      (name): [string, Change, string] => [
        `with the name ${name}, which is like that of a node`,
        { name },
        'BareMetalHost resource name cannot be a UUID',
      ],
    ),
    [
      'with a root device that is no path',
      { spec: { rootDeviceHints: { deviceName: 'sda' } } },
      'device name of root device hint must be a /dev/ path, not "sda"',
    ],
    [
      'with a root device that Ironic does not know by this name',
      { spec: { rootDeviceHints: { deviceName: '/dev/disk/by-uuid/1' } } },
      'device name of root device hint must be path in /dev/ or /dev/disk/by-path/, not "/dev/disk/by-uuid/1"',
    ],
    [
      'with an image that is no URL',
      { spec: { image: { ...IMAGE, url: 'test1' } } },
      'image URL test1 is invalid: not a valid absolute URL',
    ],
    [
      'with an image from nowhere',
      { spec: { image: { ...IMAGE, url: '' } } },
      'image URL  is invalid: not a valid absolute URL',
    ],
    [
      'with an image that nobody can download',
      { spec: { image: { ...IMAGE, url: 'unix://example.com' } } },
      'image URL unix://example.com is invalid: invalid scheme in URL, "unix" not allowed',
    ],
    [
      'with an image without a checksum',
      { spec: { image: { url: IMAGE.url } } },
      'checksum is required for normal images',
    ],
    [
      'with an image without a checksum, also for a custom deployment',
      { spec: { image: { url: IMAGE.url }, customDeploy: { method: 'm' } } },
      'checksum is required for normal images',
    ],
    [
      'with a checksum of a type that nobody computes',
      { spec: { image: { ...IMAGE, checksumType: 'sha1' as never } } },
      'unknown checksumType sha1, supported are auto, md5, sha256, sha512',
    ],
    [
      'with an image from a registry and a checksum',
      { spec: { image: { url: 'OCI://registry/i', checksum: 'abc', format: 'live-iso' } } },
      'spec.image.checksum must be empty for OCI images (oci:// images have embedded checksums)',
    ],
    [
      'with a status of another world',
      status('{"InvalidField":1}'),
      'error decoding status annotation: unknown field "InvalidField"',
    ],
    ['with half a status', status('{"operationalStatus":"OK"'), 'error decoding status annotation: not valid JSON'],
    [
      'with a status that is not restored',
      status('{"operationalStatus":"servicing"}'),
      "invalid operationalStatus 'servicing' in the baremetalhost.metal3.io/status annotation",
    ],
    [
      'with an error that is not restored',
      status('{"errorType":"servicing error"}'),
      "invalid errorType 'servicing error' in the baremetalhost.metal3.io/status annotation",
    ],
    [
      'with a reboot of no known mode',
      annotated('reboot.metal3.io', '{"mode":"cold"}'),
      'invalid mode in the reboot.metal3.io annotation, allowed are "hard", "soft" or ""',
    ],
    [
      'with a reboot of somebody that is no JSON',
      annotated('reboot.metal3.io/me', 'hard'),
      'failed to unmarshal the data from the reboot.metal3.io annotation: not valid JSON',
    ],
    [
      'with an inspection that is neither asked for nor disabled',
      annotated('inspect.metal3.io', 'yes'),
      'invalid value for the inspect.metal3.io annotation, allowed are "disabled" or ""',
    ],
    [
      'with hardware details that inspection would replace',
      details('{}', {}),
      'when hardware details are provided, inspection must be disabled (either via inspect.metal3.io annotation or inspectionMode field)',
    ],
    [
      'with hardware details of another world',
      details('{"INVALIDField":1}'),
      'error decoding the inspect.metal3.io/hardwaredetails annotation: unknown field "INVALIDField"',
    ],
    [
      'with inspection disabled and not',
      annotated('inspect.metal3.io', 'disabled', { inspectionMode: 'agent', bootMACAddress: MAC }),
      'inspect.metal3.io annotation and inspectionMode field have contradicting values',
    ],
    [
      'with fast inspection by a BMC that can not',
      { spec: { ...bmc('ipmi://h'), inspectionMode: 'fast' } },
      'BMC driver ipmi does not support fast (out-of-band) inspection',
    ],
    [
      'that is never to be off and is to be off',
      { spec: { disablePowerOff: true, online: false } },
      "node can't simultaneously have online set to false and have power off disabled",
    ],
    [
      'with an interface that could be any',
      { spec: { networkInterfaces: [{}] } },
      'networkInterfaces[0]: must specify either name or macAddress',
    ],
    [
      'with an interface that could be two',
      { spec: { networkInterfaces: [{ name: 'eno1', macAddress: MAC }] } },
      'networkInterfaces[0]: name and macAddress are mutually exclusive',
    ],
    [
      'with an interface twice',
      { spec: { networkInterfaces: [{ macAddress: 'AA:bb:00:00:00:00' }, { macAddress: 'aa:bb:00:00:00:00' }] } },
      'networkInterfaces[1]: duplicate interface selector for "aa:bb:00:00:00:00"',
    ],
  ])('%s', (_, change, message) => {
    expect(refusal(admittedHost(change))).toBe(message);
  });

  test('with all that is wrong at once, each once', () => {
    const image = { ...IMAGE, url: 'unix://x', checksum: '' };
    expect(refusal(admittedHost({ spec: { image, networkInterfaces: [{}] } }))).toBe(
      '[image URL unix://x is invalid: invalid scheme in URL, "unix" not allowed, checksum is required for normal images, networkInterfaces[0]: must specify either name or macAddress]',
    );
  });

  test("unless it is the lab's, on a BMC that is made up", () => {
    const host = admittedHost({ spec: { ...bmc('fake-hardware://a'), inspectionMode: 'disabled' } });
    expect(refusal(host)).toBe("Unknown BMC type 'fake-hardware' for address fake-hardware://a");
    expect(hostRules({ schemas, fakeHardware: true }).created(host)).toEqual([]);
  });
});
