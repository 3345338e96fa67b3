import { parseAddress, parseSubnet, type Subnet } from '../ip-pool/address.ts';
import type { DiscoveredMachine } from './machine.ts';

/** Which machines may become hosts: every list that is not empty must match, by one of its entries. */
export interface AllowList {
  /** Beginnings of the boot MAC address, in lower case; `*` is any. */
  readonly macPrefixes: readonly string[];
  readonly bmcNetworks: readonly Subnet[];
  readonly rules: readonly InventoryRule[];
}

const TEXTS = ['vendor', 'product', 'serial', 'hostname', 'architecture'] as const;
const NUMBERS = ['memory', 'cpus'] as const;

/** Rules about the same key are alternatives; each key must match. */
export type InventoryRule =
  /** `*` in the pattern stands for any text; upper and lower case are the same. */
  | { readonly key: (typeof TEXTS)[number]; readonly pattern: string }
  /** `memory` in GiB. */
  | { readonly key: (typeof NUMBERS)[number]; readonly atLeast: number };

/** undefined when the machine is allowed; otherwise why it is not. */
export function whyNotAllowed(machine: DiscoveredMachine, allowed: AllowList): string | undefined {
  const { macPrefixes, bmcNetworks, rules } = allowed;
  if (macPrefixes.length > 0 && !macPrefixes.some((prefix) => prefix === '*' || machine.bootMac.startsWith(prefix)))
    return `its boot MAC address ${machine.bootMac} is not in the allow-list`;
  if (bmcNetworks.length > 0 && !machine.bmcAddresses.some((address) => isIn(bmcNetworks, address)))
    return `its BMC address ${machine.bmcAddresses.join(', ') || '(none)'} is not in the allow-list`;
  const failing = [...new Set(rules.map(({ key }) => key))].find(
    (key) => !rules.some((rule) => rule.key === key && matches(rule, machine)),
  );
  return failing === undefined ? undefined : `its ${failing} is not in the allow-list`;
}

function isIn(networks: readonly Subnet[], text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && networks.some(({ first, last }) => first <= address && address <= last);
}

function matches(rule: InventoryRule, { hardware }: DiscoveredMachine): boolean {
  const { systemVendor, hostname, cpu, ramMebibytes } = hardware;
  switch (rule.key) {
    case 'vendor':
      return isLike(systemVendor?.manufacturer, rule.pattern);
    case 'product':
      return isLike(systemVendor?.productName, rule.pattern);
    case 'serial':
      return isLike(systemVendor?.serialNumber, rule.pattern);
    case 'hostname':
      return isLike(hostname, rule.pattern);
    case 'architecture':
      return isLike(cpu?.arch, rule.pattern);
    case 'memory':
      return (ramMebibytes ?? 0) >= rule.atLeast * 1024;
    case 'cpus':
      return (cpu?.count ?? 0) >= rule.atLeast;
  }
}

/** Compares without a regular expression, because the texts come from strangers. */
function isLike(text: string | undefined, pattern: string): boolean {
  const parts = pattern.toLowerCase().split('*');
  const [head = '', ...more] = parts;
  const tail = more.pop();
  const found = (text ?? '').toLowerCase();
  if (tail === undefined) return found === head;
  if (!found.startsWith(head)) return false;
  let at = head.length;
  for (const part of more) {
    const next = found.indexOf(part, at);
    if (next === -1) return false;
    at = next + part.length;
  }
  return found.length - tail.length >= at && found.endsWith(tail);
}

/** Throws for a text that is no list of the kind, with words for the operator. */
export function parseMacPrefixes(text: string): readonly string[] {
  return entriesOf(text).map((entry) => {
    const prefix = entry.toLowerCase();
    if (prefix === '*' || /^[0-9a-f]{2}(:[0-9a-f]{2}){0,5}$/.test(prefix)) return prefix;
    throw new Error(`'${entry}' is no beginning of a MAC address such as 52:54:00, nor *`);
  });
}

/** Networks, and single addresses. */
export function parseBmcNetworks(text: string): readonly Subnet[] {
  return entriesOf(text).map((entry) => {
    const address = parseAddress(entry);
    const subnet = address === undefined ? parseSubnet(entry) : { written: address, first: address, last: address };
    if (subnet !== undefined) return subnet;
    throw new Error(`'${entry}' is no network such as 192.0.2.0/24, nor an address`);
  });
}

/** `vendor=Dell*,memory>=64`. */
export function parseRules(text: string): readonly InventoryRule[] {
  return entriesOf(text).map((entry) => {
    const [, key = '', sign = '', value = ''] = /^([a-z]+)\s*(>=|=)\s*(.*)$/.exec(entry) ?? [];
    const textKey = TEXTS.find((known) => known === key);
    if (textKey !== undefined && sign === '=' && value !== '') return { key: textKey, pattern: value };
    const numberKey = NUMBERS.find((known) => known === key);
    if (numberKey !== undefined && sign === '>=' && /^\d+$/.test(value))
      return { key: numberKey, atLeast: Number(value) };
    throw new Error(
      `'${entry}' is no rule: ${TEXTS.map((known) => `${known}=pattern`).join(', ')}, ${NUMBERS.map((known) => `${known}>=number`).join(', ')}`,
    );
  });
}

const entriesOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
