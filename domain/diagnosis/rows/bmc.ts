import { type Diagnosis, words } from '../diagnosis.ts';
import { hostError } from '../example.ts';

const SECRET = 'kubectl -n {namespace} get secret {secret}';
const NEW_LOGIN =
  'kubectl -n {namespace} create secret generic {secret} --from-literal=username=USER --from-literal=password=PASSWORD --dry-run=client -o yaml | kubectl apply -f -';
const ADDRESS = `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`;
const registration = (message: string) => hostError('registration error', message);

/** The way to the BMC: address, credentials, certificate, network. */
export const BMC: readonly Diagnosis[] = [
  words({
    id: 'bmc-secret-missing',
    of: 'host',
    waitsForChange: true,
    says: /The BMC secret [^\s/]+\/(?<secret>[a-z0-9.-]+) does not exist/,
    cause: 'The Secret with the credentials of the BMC does not exist.',
    next: 'Create the Secret {secret} with username and password; the host goes on at once.',
    commands: [SECRET, NEW_LOGIN],
    examples: [registration('No BMC CredentialsName defined The BMC secret metal/node-1-bmc does not exist')],
  }),
  words({
    id: 'bmc-secret-incomplete',
    of: 'host',
    waitsForChange: true,
    says: /Validation error with BMC credentials: Missing/,
    cause: 'The Secret with the credentials of the BMC has no username or no password.',
    next: 'Put username and password into the Secret {secret}; the host goes on at once.',
    commands: [`kubectl -n {namespace} get secret {secret} -o jsonpath='{.data}'`, NEW_LOGIN],
    examples: [
      registration("Validation error with BMC credentials: Missing BMC connection details 'password' in credentials"),
    ],
  }),
  words({
    id: 'bmc-secret-unnamed',
    of: 'host',
    waitsForChange: true,
    says: /The BMC secret reference is empty/,
    cause: 'The host names no Secret with the credentials of its BMC.',
    next: 'Name the Secret in spec.bmc.credentialsName.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
    examples: [registration('No BMC CredentialsName defined The BMC secret reference is empty')],
  }),
  words({
    id: 'bmc-address-missing',
    of: 'host',
    waitsForChange: true,
    says: /Empty BMC address/,
    cause: 'The host has no address of its BMC.',
    next: 'Set spec.bmc.address.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
    examples: [registration("Empty BMC address Missing BMC connection detail 'Address'")],
  }),
  words({
    id: 'bmc-address-wrong',
    of: 'host',
    says: /Unknown BMC type|failed to parse BMC address/,
    cause: 'The address of the BMC cannot be understood.',
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
    next: 'Set spec.bootMACAddress to the MAC address of the NIC that boots over the network.',
    commands: [`kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bootMACAddress":"MAC"}}'`],
    examples: [registration('BMC driver ipmi requires a BootMACAddress value')],
  }),
  words({
    id: 'bmc-cannot',
    of: 'host',
    says: /BMC driver \S+ (does not support|requires a provisioning network)|does not support DisablePowerOff/,
    cause: 'The spec asks for something that this kind of BMC, or this Ironic, cannot do.',
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
    says: /MAC address .*(conflict|already|belongs to)|port with MAC address/i,
    cause: 'Another node in Ironic has the MAC address of this host.',
    next: 'Correct spec.bootMACAddress of this host or of the other one; a host that is registered twice is deleted once.',
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
    says: /returned code 40[13]\b|Incorrect username or password|AccessError|RAKP \d|invalid (user|password)|authentication (failed|type)/i,
    cause: 'The BMC does not accept username or password.',
    next: 'Write the right username and password into the Secret {secret}; the host tries again at once.',
    commands: [NEW_LOGIN, ADDRESS],
    examples: [
      registration(
        'Failed to get power state for node 1be26c0b-03f2-4d2e-ae87-c02d7f33c123. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1 returned code 401. Base.1.0.GeneralError: Incorrect username or password',
      ),
      registration('Failed to get power state for node 1be2. Error: IPMI call failed: Error: RAKP 2 HMAC is invalid'),
    ],
  }),
  words({
    id: 'bmc-certificate-expired',
    of: 'host',
    says: /certificate has expired/i,
    cause: 'The TLS certificate of the BMC has expired.',
    next: 'Give the BMC a new certificate; until then spec.bmc.disableCertificateVerification accepts any.',
    commands: [
      ADDRESS,
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
    examples: [
      registration(
        "Failed to get power state for node 1be2. Error: Redfish connection failed for node 1be2: Unable to connect to https://10.0.0.7. Error: HTTPSConnectionPool(host='10.0.0.7', port=443): Max retries exceeded (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1006)')))",
      ),
    ],
  }),
  words({
    id: 'bmc-certificate',
    of: 'host',
    says: /CERTIFICATE_VERIFY_FAILED|SSLError|certificate verify failed|self.signed certificate/i,
    cause: 'Ironic does not trust the TLS certificate of the BMC.',
    next: 'Give Ironic the authority that signed it, or accept any with spec.bmc.disableCertificateVerification.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
    examples: [
      registration(
        "Failed to get power state for node 1be2. Error: Redfish connection failed for node 1be2: Unable to connect to https://10.0.0.7. Error: HTTPSConnectionPool(host='10.0.0.7', port=443): Max retries exceeded (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)')))",
      ),
    ],
  }),
  words({
    id: 'bmc-system-unknown',
    of: 'host',
    says: /returned code 404|ResourceNotFound|Resource .* not found|ResourceMissingAtURI/i,
    cause: 'The BMC answers, but has no system at the path in its address.',
    next: 'Correct the path in spec.bmc.address: the BMC lists its systems at /redfish/v1/Systems.',
    commands: [ADDRESS],
    examples: [
      registration(
        'Failed to get power state for node 1be2. Error: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/9 returned code 404. Base.1.0.ResourceMissingAtURI: The resource at the URI was not found',
      ),
    ],
  }),
  words({
    id: 'bmc-unreachable',
    of: 'host',
    says: /Redfish connection failed|Unable to connect to|No route to host|Unable to establish IPMI|IPMI call failed|Connection (refused|timed out|reset)|Name or service not known/i,
    cause: 'Ironic cannot reach the BMC.',
    next: 'Check address, cable, power and network of the BMC from where Ironic runs; the host tries again by itself.',
    commands: [ADDRESS, "npx temper retry host {host} -n {namespace} --reason 'the BMC answers again'"],
    examples: [
      registration(
        "Failed to get power state for node 1be2. Error: Redfish connection failed for node 1be2: Unable to connect to https://10.0.0.7. Error: HTTPSConnectionPool(host='10.0.0.7', port=443): Max retries exceeded (Caused by NewConnectionError('Failed to establish a new connection: [Errno 113] No route to host'))",
      ),
      hostError(
        'power management error',
        "PowerOn operation failed: Failed to change power state to 'power on': Redfish connection failed for node 1be2: Unable to connect to http://10.0.0.7:8000",
      ),
      registration(
        'Failed to get power state for node 1be2. Error: IPMI call failed: Error: Unable to establish IPMI v2 / RMCP+ session',
      ),
    ],
  }),
];
