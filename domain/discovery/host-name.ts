import { withoutEnd } from '../without-end.ts';
import type { DiscoveredMachine } from './machine.ts';

const PLACEHOLDERS: Readonly<Record<string, (machine: DiscoveredMachine) => string | undefined>> = {
  mac: ({ bootMac }) => bootMac.replaceAll(':', ''),
  serial: ({ hardware }) => hardware.systemVendor?.serialNumber,
  vendor: ({ hardware }) => hardware.systemVendor?.manufacturer,
  product: ({ hardware }) => hardware.systemVendor?.productName,
  hostname: ({ hardware }) => hardware.hostname,
};

export const DEFAULT_HOST_NAME = 'discovered-{mac}';
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** Longest name, so that it also fits into a label. */
const LENGTH = 63;

/**
 * Names for the host of a machine, the preferred one first; always the same for the same machine. The second, with the
 * MAC address, is for a machine whose name another host has: serial numbers are not unique everywhere.
 */
export function hostNames(pattern: string, machine: DiscoveredMachine): readonly string[] {
  const mac = PLACEHOLDERS['mac']?.(machine) ?? '';
  const isUnknown = [...pattern.matchAll(PLACEHOLDER)].some(([, key = '']) => plain(valueOf(key, machine)) === '');
  const filled = (isUnknown ? DEFAULT_HOST_NAME : pattern).replaceAll(PLACEHOLDER, (_, key: string) =>
    plain(valueOf(key, machine)),
  );
  const preferred = cut(plain(filled), LENGTH);
  if (preferred.includes(mac)) return [preferred];
  return [preferred, `${cut(preferred, LENGTH - mac.length - 1)}-${mac}`];
}

/** What is wrong with a pattern; undefined when it is usable. */
export function problemOfPattern(pattern: string): string | undefined {
  const unknown = [...pattern.matchAll(PLACEHOLDER)].find(([, key = '']) => !Object.hasOwn(PLACEHOLDERS, key));
  if (unknown !== undefined) {
    const known = Object.keys(PLACEHOLDERS).map((key) => `{${key}}`);
    return `${unknown[0]} is not one of ${known.join(', ')}`;
  }
  const rest = pattern.replaceAll(PLACEHOLDER, 'x');
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(rest)
    ? undefined
    : 'must consist of lower case letters, digits, - and placeholders, and begin and end with none of -';
}

const valueOf = (key: string, machine: DiscoveredMachine): string =>
  (Object.hasOwn(PLACEHOLDERS, key) ? PLACEHOLDERS[key]?.(machine) : undefined) ?? '';

/** The part of a text that a name may have. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const cut = (name: string, length: number): string => withoutEnd(name.slice(0, length), '-');
