import { ADOPTION_FAILED, aDeployment, type Examples, hostError, NODE } from './sights.ts';

const registration = (message: string) => hostError('registration error', message);

const RESET = 'HTTP POST https://10.0.0.7/redfish/v1/Systems/1/Actions/ComputerSystem.Reset returned code';

const INSERT_MEDIA = 'https://10.0.0.7/redfish/v1/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia';

const MOUNT_FAILED = `Failed to prepare to deploy: Virtual media mount failed for node ${NODE} with image http://10.0.0.2/redfish/boot.iso. Error:`;

const noConnection = (why: string) =>
  `Redfish connection failed for node 1be2: Unable to connect to https://10.0.0.7. Error: HTTPSConnectionPool(host='10.0.0.7', port=443): Max retries exceeded (Caused by ${why})`;

export const BMC_EXAMPLES = {
  'bmc-secret-missing': [registration('No BMC CredentialsName defined The BMC secret metal/node-1-bmc does not exist')],
  'bmc-secret-incomplete': [
    registration("Validation error with BMC credentials: Missing BMC connection details 'password' in credentials"),
  ],
  'bmc-secret-unnamed': [registration('No BMC CredentialsName defined The BMC secret reference is empty')],
  'bmc-address-missing': [registration("Empty BMC address Missing BMC connection detail 'Address'")],
  'bmc-address-wrong': [
    registration("failed to parse BMC address information: Unknown BMC type 'redfsh' for address redfsh://10.0.0.7/1"),
  ],
  'bmc-needs-mac': [registration('BMC driver ipmi requires a BootMACAddress value')],
  'bmc-cannot': [
    registration('BMC driver ipmi does not support secure boot'),
    registration('BMC driver redfish requires a provisioning network'),
  ],
  'mac-in-use': [
    registration('MAC address 52:54:00:00:01:01 conflicts with existing node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123'),
  ],
  'bmc-password': [
    registration(
      'Failed to get power state for node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1 returned code 401. Base.1.0.GeneralError: Incorrect username or password',
    ),
    registration('Failed to get power state for node 1be2. Error: IPMI call failed: Error: RAKP 2 HMAC is invalid'),
    aDeployment(
      `Failed to prepare to deploy: Redfish exception occurred. Error: ${RESET} 401. unknown error Extended information: None`,
    ),
    aDeployment(`Deploy step deploy.deploy failed: Redfish exception occurred. Error: ${RESET} 403. unauthorized`),
    hostError(
      'provisioning error',
      `Cleaning failed: Failed to prepare node ${NODE} for cleaning: Redfish exception occurred. Error: ${RESET} 401. unknown error`,
      { state: 'deprovisioning' },
    ),
    hostError(
      'provisioned registration error',
      `${ADOPTION_FAILED}Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1 returned code 401. unknown error`,
    ),
    hostError(
      'inspection error',
      'Ironic holds node 1be2 in maintenance because of a power failure: During sync_power_state, max retries exceeded for node 1be2. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1 returned code 401. unknown error',
    ),
  ],
  'bmc-certificate-expired': [
    registration(
      `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)'))")}`,
    ),
  ],
  'bmc-certificate': [
    registration(
      `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)'))")}`,
    ),
  ],
  'bmc-tls': [
    registration(
      `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLError(1, '[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)'))")}`,
    ),
  ],
  'bmc-system-unknown': [
    registration(
      'Failed to get power state for node 1be2. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/9 returned code 404. Base.1.0.ResourceMissingAtURI: The resource at the URI was not found',
    ),
    registration(
      'Failed to get power state for node 1be2. Error: Redfish exception occurred. Error: Resource https://10.0.0.7/redfish/v1/Systems/9 not found',
    ),
  ],
  'bmc-unreachable': [
    registration(
      `Failed to get power state for node 1be2. Error: ${noConnection("NewConnectionError('Failed to establish a new connection: [Errno 113] No route to host')")}`,
    ),
    hostError(
      'power management error',
      "PowerOn operation failed: Failed to change power state to 'power on': Redfish connection failed for node 1be2: Unable to connect to http://10.0.0.7:8000",
    ),
    registration(
      'Failed to get power state for node 1be2. Error: IPMI call failed: Error: Unable to establish IPMI v2 / RMCP+ session',
    ),
    aDeployment(
      `Deploy step deploy.deploy failed: ${noConnection("NewConnectionError('[Errno 111] Connection refused')")}`,
    ),
    hostError(
      'provisioning error',
      `Cleaning failed: Failed to prepare node ${NODE} for cleaning: ${noConnection("NewConnectionError('[Errno 113] No route to host')")}`,
      { state: 'deprovisioning' },
    ),
  ],
  'bmc-virtual-media': [
    aDeployment(
      `${MOUNT_FAILED} HTTP POST ${INSERT_MEDIA} returned code 404. unknown error Extended information: None`,
    ),
    aDeployment(`${MOUNT_FAILED} Resource ${INSERT_MEDIA} not found`),
    aDeployment(
      `Deploy step deploy.deploy failed: No suitable virtual media device found for node ${NODE} to mount image http://10.0.0.2/redfish/boot.iso`,
    ),
    hostError(
      'inspection error',
      `Failed to inspect hardware. Reason: unable to start inspection: Timed out after 60s waiting for virtual media to be mounted on node ${NODE}.`,
    ),
  ],
} satisfies Examples;
