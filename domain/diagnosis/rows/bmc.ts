import { type Diagnosis, words } from '../diagnosis.ts';
import { ADOPTION_FAILED, aDeployment, hostError, NODE } from '../example.ts';
import { DELETES_HOST, GOES_ON, OTHER_SERVER, RESTARTS_BMC, RESTARTS_IRONIC } from '../risks.ts';

const SECRET = 'kubectl -n {namespace} get secret {bmcSecret}';
const NEW_LOGIN =
  'kubectl -n {namespace} create secret generic {bmcSecret} --from-literal=username=USER --from-literal=password=PASSWORD --dry-run=client -o yaml | kubectl apply -f -';
/** Of a Secret that exists. */
const OTHER_LOGIN = `kubectl -n {namespace} patch secret {bmcSecret} --type merge -p '{"stringData":{"username":"USER","password":"PASSWORD"}}'`;
const ADDRESS = `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`;
const registration = (message: string) => hostError('registration error', message);
const RESET = 'HTTP POST https://10.0.0.7/redfish/v1/Systems/1/Actions/ComputerSystem.Reset returned code';
const INSERT_MEDIA = 'https://10.0.0.7/redfish/v1/Managers/1/VirtualMedia/Cd/Actions/VirtualMedia.InsertMedia';
const MOUNT_FAILED = `Failed to prepare to deploy: Virtual media mount failed for node ${NODE} with image http://10.0.0.2/redfish/boot.iso. Error:`;
const noConnection = (why: string) =>
  `Redfish connection failed for node 1be2: Unable to connect to https://10.0.0.7. Error: HTTPSConnectionPool(host='10.0.0.7', port=443): Max retries exceeded (Caused by ${why})`;

/**
 * The way to the BMC: address, credentials, certificate, network. These rows come before those of images, and recognise
 * the words of Ironic's clients of BMCs alone: a deployment also fails when its BMC does.
 */
export const BMC: readonly Diagnosis[] = [
  words({
    id: 'bmc-secret-missing',
    of: 'host',
    whileDeleting: true,
    waitsForChange: true,
    says: /The BMC secret [^\s/]+\/(?<bmcSecret>[a-z0-9.-]+) does not exist/,
    cause: 'The Secret with the credentials of the BMC does not exist.',
    risk: GOES_ON,
    next: 'Create the Secret {bmcSecret} with username and password; the host goes on at once.',
    commands: [SECRET, NEW_LOGIN],
    examples: [registration('No BMC CredentialsName defined The BMC secret metal/node-1-bmc does not exist')],
  }),
  words({
    id: 'bmc-secret-incomplete',
    of: 'host',
    whileDeleting: true,
    waitsForChange: true,
    says: /Validation error with BMC credentials: Missing/,
    cause: 'The Secret with the credentials of the BMC has no username or no password.',
    risk: GOES_ON,
    next: 'Put username and password into the Secret {bmcSecret}; the host goes on at once.',
    commands: [`kubectl -n {namespace} get secret {bmcSecret} -o jsonpath='{.data}'`, OTHER_LOGIN],
    examples: [
      registration("Validation error with BMC credentials: Missing BMC connection details 'password' in credentials"),
    ],
  }),
  words({
    id: 'bmc-secret-unnamed',
    of: 'host',
    whileDeleting: true,
    waitsForChange: true,
    says: /The BMC secret reference is empty/,
    cause: 'The host names no Secret with the credentials of its BMC.',
    risk: GOES_ON,
    next: 'Name the Secret in spec.bmc.credentialsName.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
    examples: [registration('No BMC CredentialsName defined The BMC secret reference is empty')],
  }),
  words({
    id: 'bmc-address-missing',
    of: 'host',
    whileDeleting: true,
    waitsForChange: true,
    says: /Empty BMC address/,
    cause: 'The host has no address of its BMC.',
    risk: OTHER_SERVER,
    next: 'Set spec.bmc.address.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
    examples: [registration("Empty BMC address Missing BMC connection detail 'Address'")],
  }),
  words({
    id: 'bmc-address-wrong',
    of: 'host',
    whileDeleting: true,
    says: /Unknown BMC type|failed to parse BMC address/,
    cause: 'The address of the BMC cannot be understood.',
    risk: OTHER_SERVER,
    next: 'Correct spec.bmc.address: its scheme names the kind of BMC, for example redfish-virtualmedia://.',
    commands: [ADDRESS, 'kubectl -n {namespace} edit bmh {host}'],
    examples: [
      registration(
        "failed to parse BMC address information: Unknown BMC type 'redfsh' for address redfsh://10.0.0.7/1",
      ),
    ],
  }),
  words({
    id: 'bmc-needs-mac',
    of: 'host',
    says: /requires a BootMACAddress value/,
    cause: 'This kind of BMC needs the MAC address from which the host boots.',
    risk: GOES_ON,
    next: 'Set spec.bootMACAddress to the MAC address of the NIC that boots over the network.',
    commands: [`kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bootMACAddress":"MAC"}}'`],
    examples: [registration('BMC driver ipmi requires a BootMACAddress value')],
  }),
  words({
    id: 'bmc-cannot',
    of: 'host',
    says: /BMC driver \S+ (does not support|requires a provisioning network)|does not support DisablePowerOff/,
    cause: 'The spec asks for something that this kind of BMC, or this Ironic, cannot do.',
    risk: OTHER_SERVER,
    next: 'Change the field that is named, or the kind of BMC in spec.bmc.address.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
    examples: [
      registration('BMC driver ipmi does not support secure boot'),
      registration('BMC driver redfish requires a provisioning network'),
    ],
  }),
  words({
    id: 'mac-in-use',
    of: 'host',
    whileDeleting: true,
    says: /MAC address .*(conflict|already|belongs to)|port with MAC address/i,
    cause: 'Another node in Ironic has the MAC address of this host.',
    risk: DELETES_HOST,
    next: 'Correct spec.bootMACAddress of this host or of the other one. If both are the same server, delete one of them.',
    commands: [
      `kubectl get bmh -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,MAC:.spec.bootMACAddress`,
    ],
    examples: [
      registration('MAC address 52:54:00:00:01:01 conflicts with existing node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123'),
    ],
  }),
  words({
    id: 'bmc-password',
    of: 'host',
    whileDeleting: true,
    says: /HTTP [A-Z]+ \S+ returned code 40[13]\b|RAKP \d|IPMI[^]*(invalid (user|password)|authentication (failed|type))/i,
    cause: 'The BMC does not accept username or password, or its user may not do what Ironic asks for.',
    next: 'Write the right username and password into the Secret {bmcSecret}; the host tries again at once.',
    commands: [OTHER_LOGIN, ADDRESS],
    examples: [
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
  }),
  words({
    id: 'bmc-certificate-expired',
    of: 'host',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*certificate has expired/i,
    cause: 'The TLS certificate of the BMC has expired.',
    risk: RESTARTS_BMC,
    next: 'Give the BMC a new certificate; until then spec.bmc.disableCertificateVerification accepts any.',
    commands: [
      ADDRESS,
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
    examples: [
      registration(
        `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)'))")}`,
      ),
    ],
  }),
  words({
    id: 'bmc-certificate',
    of: 'host',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*(CERTIFICATE_VERIFY_FAILED|certificate verify failed|self.signed certificate)/i,
    cause: 'Ironic does not trust the TLS certificate of the BMC.',
    risk: RESTARTS_IRONIC,
    next: 'Give Ironic the authority that signed it, or accept any with spec.bmc.disableCertificateVerification.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
    examples: [
      registration(
        `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)'))")}`,
      ),
    ],
  }),
  words({
    id: 'bmc-tls',
    of: 'host',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*(SSLError|\[SSL:)/i,
    cause: 'Ironic and the BMC do not agree on TLS: the port has no HTTPS, or the BMC has an old version of TLS alone.',
    risk: RESTARTS_BMC,
    next: 'For a BMC without HTTPS write +http into the scheme of spec.bmc.address, as in redfish+http://; otherwise update the firmware of the BMC.',
    commands: [ADDRESS, 'kubectl -n {namespace} edit bmh {host}'],
    examples: [
      registration(
        `Failed to get power state for node 1be2. Error: ${noConnection("SSLError(SSLError(1, '[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)'))")}`,
      ),
    ],
  }),
  words({
    id: 'bmc-system-unknown',
    of: 'host',
    whileDeleting: true,
    says: /HTTP GET \S+\/Systems\/[^/\s]+\/? returned code 404|Resource \S+\/Systems\/[^/\s]+\/? not found/i,
    cause: 'The BMC answers, but has no system at the path in its address.',
    risk: OTHER_SERVER,
    next: 'Correct the path in spec.bmc.address: the BMC lists its systems at /redfish/v1/Systems.',
    commands: [ADDRESS],
    examples: [
      registration(
        'Failed to get power state for node 1be2. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/9 returned code 404. Base.1.0.ResourceMissingAtURI: The resource at the URI was not found',
      ),
      registration(
        'Failed to get power state for node 1be2. Error: Redfish exception occurred. Error: Resource https://10.0.0.7/redfish/v1/Systems/9 not found',
      ),
    ],
  }),
  words({
    id: 'bmc-unreachable',
    of: 'host',
    whileDeleting: true,
    says: /Redfish connection failed|Unable to connect to \S+ Error:|Unable to establish IPMI|IPMI call failed|Failed to get power state [^]*(No route to host|Connection (refused|timed out|reset)|Name or service not known)/i,
    cause: 'Ironic cannot reach the BMC.',
    next: 'Check address, cable, power and network of the BMC from where Ironic runs; the host tries again by itself.',
    commands: [ADDRESS, "npx temper retry host {host} -n {namespace} --reason 'the BMC answers again'"],
    examples: [
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
  }),
  words({
    id: 'bmc-virtual-media',
    of: 'host',
    whileDeleting: true,
    says: /\/VirtualMedia\b|Virtual media mount failed|virtual media device found|virtual USB slot|waiting for virtual media|virtual media GET attempts/i,
    cause: 'The BMC cannot insert the ISO of the deploy agent into its virtual CD drive.',
    risk: RESTARTS_BMC,
    next: 'Check that the BMC has virtual media (some need a license, or newer firmware), and that it can reach the URL of the ISO in the message.',
    commands: [ADDRESS, "npx temper retry host {host} -n {namespace} --reason 'the BMC has virtual media now'"],
    examples: [
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
  }),
];
