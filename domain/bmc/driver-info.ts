import type { BmcAddress } from './address.ts';

export interface BmcLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * The keys of driver_info that the spec of a host and its Secret decide, of all families of BMCs. Every other key stays
 * as Ironic has it.
 */
const DECIDED_KEYS = [
  'ipmi_address',
  'ipmi_port',
  'ipmi_username',
  'ipmi_password',
  'ipmi_priv_level',
  'ipmi_verify_ca',
  'redfish_address',
  'redfish_system_id',
  'redfish_username',
  'redfish_password',
  'redfish_verify_ca',
  'fake_address',
  'external_http_url',
] as const;
type DecidedKey = (typeof DECIDED_KEYS)[number];

export type DriverInfo = Readonly<Partial<Record<DecidedKey, string | boolean>>>;

/** The keys of driver_info that Ironic has otherwise than wanted, each with the wanted value; null: to be removed. */
export type AccessChanges = Readonly<Partial<Record<DecidedKey, string | boolean | null>>>;

const DEFAULT_IPMI_PORT = '623';
const DEFAULT_PRIVILEGE_LEVEL = 'ADMINISTRATOR';

/** How Ironic reaches the BMC. Contains the password: pass it to Ironic only. */
export const driverInfo = (
  address: BmcAddress,
  login: BmcLogin,
  disableVerification: boolean,
  /** Address from which the BMC downloads what Ironic serves, when it differs from Ironic's own. */
  externalUrl?: string,
): DriverInfo => ({
  ...accessInfo(address, login, disableVerification),
  ...(externalUrl !== undefined && { external_http_url: externalUrl }),
});

function accessInfo(address: BmcAddress, login: BmcLogin, disableVerification: boolean): DriverInfo {
  switch (address.kind.family) {
    case 'ipmi':
      return {
        ipmi_address: address.hostname,
        ipmi_port: address.port === '' ? DEFAULT_IPMI_PORT : address.port,
        ipmi_username: login.username,
        ipmi_password: login.password,
        ipmi_priv_level: address.privilegeLevel === '' ? DEFAULT_PRIVILEGE_LEVEL : address.privilegeLevel,
        ...(disableVerification && { ipmi_verify_ca: false }),
      };
    case 'redfish':
      return {
        redfish_address: `${address.transport}://${address.host}`,
        ...systemId(address),
        redfish_username: login.username,
        redfish_password: login.password,
        ...(disableVerification && { redfish_verify_ca: false }),
      };
    case 'fake':
      return { fake_address: address.hostname };
  }
}

const ROOT_PATHS = ['', '/', '/redfish/v1', '/redfish/v1/'];

const systemId = ({ kind, path }: BmcAddress): DriverInfo =>
  kind.alwaysSendsSystemId || !ROOT_PATHS.includes(path) ? { redfish_system_id: path } : {};

/** Ironic masks passwords: only one that is missing, or no longer wanted, counts as a change. */
export const accessChanges = (current: Readonly<Record<string, unknown>>, wanted: DriverInfo): AccessChanges =>
  Object.fromEntries(
    DECIDED_KEYS.filter((key) => !isAsWanted(key, current[key] ?? undefined, wanted[key])).map((key) => [
      key,
      wanted[key] ?? null,
    ]),
  );

function isAsWanted(key: DecidedKey, found: unknown, wanted: string | boolean | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  return key.endsWith('_password') || textOf(found) === textOf(wanted);
}

/** Other clients of Ironic write a port as a number, and `False` as a text. */
const textOf = (value: unknown): string =>
  /^(true|false)$/i.test(String(value)) ? String(value).toLowerCase() : String(value);

/** True when Ironic has another BMC or another login. */
export const isOtherAccount = (changes: AccessChanges): boolean =>
  Object.keys(changes).some((key) => /_(address|username|password)$/.test(key));
