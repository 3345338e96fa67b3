import { type Diagnosis, words } from '../diagnosis.ts';
import { BUILDS_VOLUMES, OTHER_DISK, OTHER_IMAGE, RESTARTS_BMC } from '../risks.ts';

const EDIT = 'kubectl -n {namespace} edit bmh {host}';
const HARDWARE = `kubectl -n {namespace} get hardwaredata {host} -o jsonpath='{.spec.hardware.storage}'`;
const RETRY = "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'";

/** The server itself: its disks, and whether its deploy agent was heard. */
export const SERVER: readonly Diagnosis[] = [
  words({
    id: 'disk-too-small',
    says: /No space left on device|block devices are smaller than|Root partition is too small|Device '[^']*' is too small|disk .*too small|output file is smaller than input file/i,
    cause: 'The disk is too small for the image.',
    risk: `${OTHER_DISK} ${OTHER_IMAGE}`,
    next: 'Choose a larger disk with spec.rootDeviceHints, or a smaller image. The disks are in the HardwareData {host}.',
    commands: [HARDWARE, EDIT],
  }),
  words({
    id: 'root-device-hints',
    says: /No suitable device was found|No devices could be found using the root device hints|Failed to validate the root device hints|DeviceNotFound/i,
    cause: 'No disk of the server matches spec.rootDeviceHints.',
    risk: OTHER_DISK,
    next: 'Correct the hints: all of them must match one disk. The disks are in the HardwareData {host}.',
    commands: [HARDWARE, `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.rootDeviceHints}'`, EDIT],
  }),
  words({
    id: 'agent-silent-deploy',
    whileDeleting: true,
    says: /Timeout reached while waiting for callback/i,
    cause: 'The deploy agent of the server never called: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
  }),
  words({
    id: 'agent-silent-inspection',
    whileDeleting: true,
    says: /timeout reached while inspecting/i,
    cause: 'The deploy agent of the server never called during inspection: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
  }),
  words({
    id: 'agent-silent-cleaning',
    whileDeleting: true,
    says: /Timeout reached while cleaning/i,
    cause: 'The deploy agent of the server stopped answering while it cleaned the disks.',
    next: 'Look at the console of the server. Large or broken disks may take longer than Ironic waits.',
    commands: [RETRY],
  }),
  words({
    id: 'agent-lost',
    whileDeleting: true,
    says: /Agent (seems offline|failed to come back)|AgentConnectionFailed|Error (contacting|invoking) agent|Connection to agent failed|Failed to connect to the agent|Timeout executing command \S+ on node/i,
    cause: 'Ironic has lost the deploy agent of the server in the middle of its work.',
    next: 'Look at the console of the server and at the network between it and Ironic.',
    commands: [RETRY],
  }),
  words({
    id: 'raid',
    says: /RAID (settings|level|volumes?|configuration)|(software|hardware) RAID|RAID\d|\braid\.\w+_configuration|'interface': 'raid'|target_raid_config|(physical|logical) disks?\b|volume\[\d+\]|numberOfPhysicalDisks|physicalDisks/i,
    cause: 'The RAID volumes of the spec cannot be built on this server.',
    risk: BUILDS_VOLUMES,
    next: 'Correct spec.raid: the message names the volume.',
    commands: [EDIT],
  }),
  words({
    id: 'bmc-error',
    whileDeleting: true,
    says: /Redfish exception occurred|HTTP [A-Z]+ \S+ returned code \d|Resource \S+\/redfish\/\S+ not found|is missing from the resource \S*\/redfish\//i,
    cause: 'The BMC answers a request of Ironic with an error.',
    risk: RESTARTS_BMC,
    next: 'Read the answer of the BMC in the message: often a restart of the BMC, or newer firmware for it, helps. The host tries again by itself.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`, RETRY],
  }),
  words({
    id: 'clean-step',
    whileDeleting: true,
    says: /Clean step \S+ failed|Cleaning failed|Failed to (prepare node|tear down).*clean/i,
    cause: 'A step of the cleaning failed on the server.',
    next: 'Read what the step says: often a disk that is broken or protected. The disks are in the HardwareData {host}. Then ask for another try.',
    commands: [HARDWARE, RETRY],
  }),
  words({
    id: 'deploy-step',
    says: /Deploy step \S+ failed|Agent API for node \S+ returned/i,
    cause: 'A step of the deployment failed on the server.',
    next: 'Read what the step says. The deployment is tried again by itself.',
    commands: ['kubectl -n {namespace} events --for bmh/{host}', RETRY],
  }),
  words({
    id: 'profile-unknown',
    says: /no hardware profile named "/,
    cause: 'The host names a hardware profile that does not exist.',
    risk: OTHER_DISK,
    next: 'Remove spec.hardwareProfile, and set spec.rootDeviceHints instead.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type json -p '[{"op":"remove","path":"/spec/hardwareProfile"}]'`,
    ],
  }),
];
