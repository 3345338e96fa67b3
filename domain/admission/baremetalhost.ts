import type { BareMetalHost, BareMetalHostSpec, Image, SecretReference } from '../../api/baremetalhost/types.ts';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { type BmcAddress, parseBmcAddress } from '../bmc/address.ts';
import { isInspectionDisabled } from '../host/desired/inspection-disabled.ts';
import { unusedInWords } from '../host/desired/unused-fields.ts';
import { checksumProblem } from '../ironic/deployment/image.ts';
import { traitsOf } from '../states/table.ts';
import { imageUrlProblem } from '../urls/image-url.ts';
import { type AnnotationSchemas, hostAnnotationProblems } from './annotations.ts';
import { approvalProblems, approvalWarnings } from './approvals.ts';
import type { Rules } from './rules.ts';
import { HOST_STEERING } from './steering-annotations.ts';

export interface HostRulesOptions {
  readonly schemas: AnnotationSchemas;
  /** Accepts the lab's BMC scheme `fake-hardware`. */
  readonly fakeHardware: boolean;
}

export const hostRules = (options: HostRulesOptions): Rules<BareMetalHost> => ({
  created: (host) => hostProblems(host, options),
  changed: (before, after) => [...hostProblems(after, options), ...hostChangeProblems(before, after)],
  steering: HOST_STEERING,
  warnings: ({ metadata, spec }) => [...approvalWarnings(metadata.annotations ?? {}), ...specWarnings(spec)],
});

/** Fields that are accepted and have no effect. */
function specWarnings(spec: BareMetalHost['spec']): readonly string[] {
  const unused = unusedInWords(spec);
  return unused === undefined ? [] : [unused];
}

function hostProblems(host: BareMetalHost, { schemas, fakeHardware }: HostRulesOptions): readonly string[] {
  const { spec } = host;
  const text = spec.bmc?.address ?? '';
  const parsed = text === '' ? undefined : parseBmcAddress(text, { fakeHardware });
  const address = parsed?.kind === 'ok' ? parsed.address : undefined;
  const inspects = !isInspectionDisabled(spec.inspectionMode, host.metadata.annotations);
  return [
    ...(parsed?.kind === 'invalid' ? [parsed.problem] : []),
    ...(spec.firmware === undefined
      ? []
      : ['the Firmware field is no longer supported, use HostFirmwareSettings resource instead']),
    ...secretProblems(host),
    ...raidProblems(spec),
    ...(address === undefined ? [] : bmcProblems(address, host, inspects)),
    ...nameProblems(host.metadata.name),
    ...deviceNameProblems(spec.rootDeviceHints?.deviceName ?? ''),
    ...imageProblems(spec.image),
    ...hostAnnotationProblems(host.metadata.annotations ?? {}, inspects, schemas),
    ...approvalProblems(host.metadata.annotations ?? {}),
    ...inspectionProblems(host, address),
    ...(spec.disablePowerOff === true && !spec.online
      ? ["node can't simultaneously have online set to false and have power off disabled"]
      : []),
    ...interfaceProblems(spec.networkInterfaces ?? []),
  ];
}

/** The BMC address can change only while the host is detached or not yet registered. */
function hostChangeProblems(before: BareMetalHost, after: BareMetalHost): readonly string[] {
  const states = [before, after].map(({ status }) => status?.provisioning.state ?? '');
  const address = before.spec.bmc?.address ?? '';
  const canMove =
    states.some((state) => traitsOf(state).work === 'register') ||
    [before, after].some(({ status }) => status?.operationalStatus === 'detached');
  const mac = before.spec.bootMACAddress ?? '';
  const becomesExternal = before.spec.externallyProvisioned !== true && after.spec.externallyProvisioned === true;
  return [
    ...(address !== '' && (after.spec.bmc?.address ?? '') !== address && !canMove
      ? ['BMC address can not be changed if the BMH is not in the Registering state, or if the BMH is not detached']
      : []),
    ...(mac !== '' && (after.spec.bootMACAddress ?? '').toLowerCase() !== mac.toLowerCase()
      ? ['bootMACAddress can not be changed once it is set']
      : []),
    ...(becomesExternal && !states.some((state) => traitsOf(state).mayBecomeExternal)
      ? [`externallyProvisioned can only be enabled when in Available state, currently in ${states[0] ?? ''}`]
      : []),
  ];
}

function secretProblems({ metadata, spec }: BareMetalHost): readonly string[] {
  const isElsewhere = (secret: SecretReference | undefined): boolean =>
    Boolean(secret?.namespace) && secret?.namespace !== metadata.namespace;
  return (['userData', 'networkData', 'metaData'] as const)
    .filter((field) => isElsewhere(spec[field]))
    .map(
      (field) =>
        `baremetalhosts.metal3.io ${JSON.stringify(metadata.name)} is forbidden: ${field}: cross-namespace Secret references are not allowed`,
    );
}

/** A UUID with or without dashes. */
const UUID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32})$/i;

function nameProblems(name: string): readonly string[] {
  if (/[^A-Za-z0-9._-]/.test(name)) {
    return ['BareMetalHost resource name cannot contain characters other than [A-Za-z0-9._-]'];
  }
  return UUID.test(name) ? ['BareMetalHost resource name cannot be a UUID'] : [];
}

function deviceNameProblems(name: string): readonly string[] {
  if (name === '') return [];
  const inDev = /^\/dev\/(?:disk\/by-path\/)?([^]*)$/.exec(name)?.[1];
  if (inDev === undefined) return [`device name of root device hint must be a /dev/ path, not "${name}"`];
  if (!inDev.includes('/')) return [];
  return [`device name of root device hint must be path in /dev/ or /dev/disk/by-path/, not "${name}"`];
}

function inspectionProblems({ spec, metadata }: BareMetalHost, address: BmcAddress | undefined): readonly string[] {
  const mode = spec.inspectionMode;
  if (mode === undefined) return [];
  const annotation = metadata.annotations?.[ANNOTATIONS.inspect] ?? '';
  if (annotation !== '' && (annotation === 'disabled') !== (mode === 'disabled')) {
    return ['inspect.metal3.io annotation and inspectionMode field have contradicting values'];
  }
  if (mode !== 'fast' || address === undefined || address.kind.fastInspection !== null) return [];
  return [`BMC driver ${address.type} does not support fast (out-of-band) inspection`];
}

const imageProblems = (image: Image | undefined): readonly string[] =>
  image === undefined ? [] : [imageUrlProblem(image.url), checksumProblem(image)].filter((each) => each !== undefined);

/** The requirements of the host that this type of BMC does not meet. */
function bmcProblems({ type, kind }: BmcAddress, host: BareMetalHost, inspects: boolean): readonly string[] {
  const { raid, bootMACAddress, bootMode } = host.spec;
  const needsMac = kind.needsMac || (!inspects && kind.family !== 'fake');
  const mac = bootMACAddress ? macProblem(bootMACAddress) : undefined;
  return [
    ...((raid?.hardwareRAIDVolumes ?? []).length > 0 && kind.interfaces.raid_interface === 'no-raid'
      ? [`BMC driver ${type} does not support configuring RAID`]
      : []),
    ...(needsMac && !bootMACAddress ? [`BMC driver ${type} requires a BootMACAddress value`] : []),
    ...(mac === undefined ? [] : [mac]),
    ...(bootMode === 'UEFISecureBoot' && !kind.secureBoot ? [`BMC driver ${type} does not support secure boot`] : []),
  ];
}

/**
 * Six, eight or twenty bytes: pairs of hexadecimal digits separated by colons or dashes, or groups of four separated by
 * dots.
 */
const FORMS = [6, 8, 20].flatMap((bytes) => [
  new RegExp(`^[0-9a-f]{2}(?::[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{2}(?:-[0-9a-f]{2}){${bytes - 1}}$`, 'i'),
  new RegExp(`^[0-9a-f]{4}(?:\\.[0-9a-f]{4}){${bytes / 2 - 1}}$`, 'i'),
]);

/** The schema accepts a MAC address anywhere in a text; this requires that the text is nothing else. */
export const macProblem = (text: string): string | undefined =>
  FORMS.some((form) => form.test(text)) ? undefined : `address ${text}: invalid MAC address`;

type NetworkInterface = NonNullable<BareMetalHostSpec['networkInterfaces']>[number];

/** Each entry selects its interface by name or MAC address, and no two entries select the same one. */
export function interfaceProblems(interfaces: readonly NetworkInterface[]): readonly string[] {
  const chosen = new Set<string>();
  return interfaces.flatMap(({ name = '', macAddress = '' }, index) => {
    const at = `networkInterfaces[${index}]: `;
    if (name !== '' && macAddress !== '') return [`${at}name and macAddress are mutually exclusive`];
    const selector = (name || macAddress).toLowerCase();
    if (selector === '') return [`${at}must specify either name or macAddress`];
    if (chosen.has(selector)) return [`${at}duplicate interface selector for ${JSON.stringify(macAddress || name)}`];
    chosen.add(selector);
    return [];
  });
}

type Raid = NonNullable<BareMetalHostSpec['raid']>;
type HardwareVolume = NonNullable<Raid['hardwareRAIDVolumes']>[number];

function raidProblems({ raid, rootDeviceHints }: BareMetalHostSpec): readonly string[] {
  const hardware = raid?.hardwareRAIDVolumes ?? [];
  const software = raid?.softwareRAIDVolumes ?? [];
  const roots = software.filter(({ rootVolume }) => rootVolume);
  return [
    ...(hardware.length > 0 && software.length > 0
      ? ['hardwareRAIDVolumes and softwareRAIDVolumes can not be set at the same time']
      : []),
    ...hardware.flatMap(diskProblems),
    ...(roots.length > 1 ? ['softwareRAIDVolumes[*].rootVolume can only be set once'] : []),
    ...(roots.length === 1 && rootDeviceHints !== undefined
      ? ['softwareRAIDVolumes[*].rootVolume and rootDeviceHints can not be set at the same time']
      : []),
    ...software.flatMap(({ rootVolume, level }, index) =>
      rootVolume && level !== '1' ? [`softwareRAIDVolumes[${index}] with rootVolume set must use RAID level 1`] : [],
    ),
  ];
}

function diskProblems(volume: HardwareVolume, index: number): readonly string[] {
  const { physicalDisks = [], controller, numberOfPhysicalDisks: wanted } = volume;
  if (physicalDisks.length === 0) return [];
  return [
    ...(controller ? [] : [`'physicalDisks' specified without 'controller' in hardware RAID volume ${index}`]),
    ...(wanted === undefined || wanted === physicalDisks.length
      ? []
      : [
          `the 'numberOfPhysicalDisks'[${wanted}] and number of 'physicalDisks'[${physicalDisks.length}] is not same for volume ${index}`,
        ]),
  ];
}
