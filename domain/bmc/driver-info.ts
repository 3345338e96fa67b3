import type { BmcAddress } from './address.ts';

export interface BmcLogin {
  readonly username: string;
  readonly password: string;
}

export type DriverInfo = Readonly<Record<string, string | boolean>>;

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

/** True when the node's driver_info differs from the desired one. */
export function leadsElsewhere(current: Readonly<Record<string, unknown>>, wanted: DriverInfo): boolean {
  return Object.keys(wanted).some((key) => key.endsWith('_address') && current[key] !== wanted[key]);
}
