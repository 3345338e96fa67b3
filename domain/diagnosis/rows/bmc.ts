import { type Diagnosis, words } from '../diagnosis.ts';
import { DELETES_HOST, GOES_ON, OTHER_SERVER, RESTARTS_BMC, RESTARTS_IRONIC } from '../risks.ts';

const SECRET = 'kubectl -n {namespace} get secret {bmcSecret}';
const NEW_LOGIN =
  'kubectl -n {namespace} create secret generic {bmcSecret} --from-literal=username=USER --from-literal=password=PASSWORD --dry-run=client -o yaml | kubectl apply -f -';
/** Of a Secret that exists. */
const OTHER_LOGIN = `kubectl -n {namespace} patch secret {bmcSecret} --type merge -p '{"stringData":{"username":"USER","password":"PASSWORD"}}'`;
const ADDRESS = `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`;

/**
 * The way to the BMC: address, credentials, certificate, network. These rows come before those of images, and recognise
 * the words of Ironic's clients of BMCs alone: a deployment also fails when its BMC does.
 */
export const BMC: readonly Diagnosis[] = [
  words({
    id: 'bmc-secret-missing',
    whileDeleting: true,
    waitsForChange: true,
    says: /The BMC secret [^\s/]+\/(?<bmcSecret>[a-z0-9.-]+) does not exist/,
    cause: 'The Secret with the credentials of the BMC does not exist.',
    risk: GOES_ON,
    next: 'Create the Secret {bmcSecret} with username and password; the host goes on at once.',
    commands: [SECRET, NEW_LOGIN],
  }),
  words({
    id: 'bmc-secret-incomplete',
    whileDeleting: true,
    waitsForChange: true,
    says: /Validation error with BMC credentials: Missing/,
    cause: 'The Secret with the credentials of the BMC has no username or no password.',
    risk: GOES_ON,
    next: 'Put username and password into the Secret {bmcSecret}; the host goes on at once.',
    commands: [`kubectl -n {namespace} get secret {bmcSecret} -o jsonpath='{.data}'`, OTHER_LOGIN],
  }),
  words({
    id: 'bmc-secret-unnamed',
    whileDeleting: true,
    waitsForChange: true,
    says: /The BMC secret reference is empty/,
    cause: 'The host names no Secret with the credentials of its BMC.',
    risk: GOES_ON,
    next: 'Name the Secret in spec.bmc.credentialsName.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
  }),
  words({
    id: 'bmc-address-missing',
    whileDeleting: true,
    waitsForChange: true,
    says: /Empty BMC address/,
    cause: 'The host has no address of its BMC.',
    risk: OTHER_SERVER,
    next: 'Set spec.bmc.address.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
  }),
  words({
    id: 'bmc-address-wrong',
    whileDeleting: true,
    says: /Unknown BMC type|failed to parse BMC address/,
    cause: 'The address of the BMC cannot be understood.',
    risk: OTHER_SERVER,
    next: 'Correct spec.bmc.address: its scheme names the kind of BMC, for example redfish-virtualmedia://.',
    commands: [ADDRESS, 'kubectl -n {namespace} edit bmh {host}'],
  }),
  words({
    id: 'bmc-needs-mac',
    says: /requires a BootMACAddress value/,
    cause: 'This kind of BMC needs the MAC address from which the host boots.',
    risk: GOES_ON,
    next: 'Set spec.bootMACAddress to the MAC address of the NIC that boots over the network.',
    commands: [`kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bootMACAddress":"MAC"}}'`],
  }),
  words({
    id: 'bmc-cannot',
    says: /BMC driver \S+ (does not support|requires a provisioning network)|does not support DisablePowerOff/,
    cause: 'The spec asks for something that this kind of BMC, or this Ironic, cannot do.',
    risk: OTHER_SERVER,
    next: 'Change the field that is named, or the kind of BMC in spec.bmc.address.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
  }),
  words({
    id: 'mac-in-use',
    whileDeleting: true,
    says: /MAC address .*(conflict|already|belongs to)|port with MAC address/i,
    cause: 'Another node in Ironic has the MAC address of this host.',
    risk: DELETES_HOST,
    next: 'Correct spec.bootMACAddress of this host or of the other one. If both are the same server, delete one of them.',
    commands: [
      `kubectl get bmh -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,MAC:.spec.bootMACAddress`,
    ],
  }),
  words({
    id: 'bmc-password',
    whileDeleting: true,
    says: /HTTP [A-Z]+ \S+ returned code 40[13]\b|RAKP \d|IPMI[^]*(invalid (user|password)|authentication (failed|type))/i,
    cause: 'The BMC does not accept username or password, or its user may not do what Ironic asks for.',
    next: 'Write the right username and password into the Secret {bmcSecret}; the host tries again at once.',
    commands: [OTHER_LOGIN, ADDRESS],
  }),
  words({
    id: 'bmc-certificate-expired',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*certificate has expired/i,
    cause: 'The TLS certificate of the BMC has expired.',
    risk: RESTARTS_BMC,
    next: 'Give the BMC a new certificate; until then spec.bmc.disableCertificateVerification accepts any.',
    commands: [
      ADDRESS,
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
  }),
  words({
    id: 'bmc-certificate',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*(CERTIFICATE_VERIFY_FAILED|certificate verify failed|self.signed certificate)/i,
    cause: 'Ironic does not trust the TLS certificate of the BMC.',
    risk: RESTARTS_IRONIC,
    next: 'Give Ironic the authority that signed it, or accept any with spec.bmc.disableCertificateVerification.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"disableCertificateVerification":true}}}'`,
    ],
  }),
  words({
    id: 'bmc-tls',
    whileDeleting: true,
    says: /(Redfish connection failed|Unable to connect to) [^]*(SSLError|\[SSL:)/i,
    cause: 'Ironic and the BMC do not agree on TLS: the port has no HTTPS, or the BMC has an old version of TLS alone.',
    risk: RESTARTS_BMC,
    next: 'For a BMC without HTTPS write +http into the scheme of spec.bmc.address, as in redfish+http://; otherwise update the firmware of the BMC.',
    commands: [ADDRESS, 'kubectl -n {namespace} edit bmh {host}'],
  }),
  words({
    id: 'bmc-system-unknown',
    whileDeleting: true,
    says: /HTTP GET \S+\/Systems\/[^/\s]+\/? returned code 404|Resource \S+\/Systems\/[^/\s]+\/? not found/i,
    cause: 'The BMC answers, but has no system at the path in its address.',
    risk: OTHER_SERVER,
    next: 'Correct the path in spec.bmc.address: the BMC lists its systems at /redfish/v1/Systems.',
    commands: [ADDRESS],
  }),
  words({
    id: 'bmc-unreachable',
    whileDeleting: true,
    says: /Redfish connection failed|Unable to connect to \S+ Error:|Unable to establish IPMI|IPMI call failed|Failed to get power state [^]*(No route to host|Connection (refused|timed out|reset)|Name or service not known)/i,
    cause: 'Ironic cannot reach the BMC.',
    next: 'Check address, cable, power and network of the BMC from where Ironic runs; the host tries again by itself.',
    commands: [ADDRESS, "npx temper retry host {host} -n {namespace} --reason 'the BMC answers again'"],
  }),
  words({
    id: 'bmc-virtual-media',
    whileDeleting: true,
    says: /\/VirtualMedia\b|Virtual media mount failed|virtual media device found|virtual USB slot|waiting for virtual media|virtual media GET attempts/i,
    cause: 'The BMC cannot insert the ISO of the deploy agent into its virtual CD drive.',
    risk: RESTARTS_BMC,
    next: 'Check that the BMC has virtual media (some need a license, or newer firmware), and that it can reach the URL of the ISO in the message.',
    commands: [ADDRESS, "npx temper retry host {host} -n {namespace} --reason 'the BMC has virtual media now'"],
  }),
];
