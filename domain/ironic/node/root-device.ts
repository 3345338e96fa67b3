import type { RootDeviceHints } from '../../../api/baremetalhost/types.ts';

const BY_PATH = '/dev/disk/by-path/';

/** Root device hints in Ironic's format, each value with its operator; undefined when there are none. */
export function rootDevice(hints: RootDeviceHints | undefined): Readonly<Record<string, string>> | undefined {
  if (hints === undefined) return undefined;
  const { deviceName, minSizeGigabytes, rotational } = hints;
  const wanted = {
    ...(deviceName && { [deviceName.startsWith(BY_PATH) ? 'by_path' : 'name']: `s== ${deviceName}` }),
    ...exactly('hctl', hints.hctl),
    ...exactly('serial', hints.serialNumber),
    ...exactly('wwn', hints.wwn),
    ...exactly('wwn_with_extension', hints.wwnWithExtension),
    ...exactly('wwn_vendor_extension', hints.wwnVendorExtension),
    ...containing('model', hints.model),
    ...containing('vendor', hints.vendor),
    ...(minSizeGigabytes && { size: `>= ${minSizeGigabytes}` }),
    ...(rotational !== undefined && { rotational: String(rotational) }),
  };
  return Object.keys(wanted).length === 0 ? undefined : wanted;
}

const exactly = (key: string, value: string | undefined): Readonly<Record<string, string>> =>
  value ? { [key]: `s== ${value}` } : {};

const containing = (key: string, value: string | undefined): Readonly<Record<string, string>> =>
  value ? { [key]: `<in> ${value}` } : {};
