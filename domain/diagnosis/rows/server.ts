import { type Diagnosis, words } from '../diagnosis.ts';
import { hostError } from '../example.ts';

const EDIT = 'kubectl -n {namespace} edit bmh {host}';
const HARDWARE = `kubectl -n {namespace} get hardwaredata {host} -o jsonpath='{.spec.hardware.storage}'`;
const RETRY = "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'";
const NODE = '1be26c0b-03f2-4d2e-ae87-c02d7f33c123';
const step = (name: string, details: string) => `Deploy step ${name} failed on node ${NODE}. ${details}`;
const deployment = (reason: string) =>
  hostError('provisioning error', `Image provisioning failed (url: http://images.example/ubuntu.raw): ${reason}`);

/** The server itself: its disks, and whether its deploy agent was heard. */
export const SERVER: readonly Diagnosis[] = [
  words({
    id: 'disk-too-small',
    of: 'host',
    says: /No space left on device|block devices are smaller than|Root partition is too small|Device '[^']*' is too small|disk .*too small/i,
    cause: 'The disk is too small for the image.',
    next: 'Choose a larger disk with spec.rootDeviceHints, or a smaller image.',
    commands: [HARDWARE, EDIT],
    examples: [
      deployment(
        step(
          'deploy.write_image',
          "{'type': 'ImageDownloadError', 'details': 'Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device'}",
        ),
      ),
      deployment(
        'No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than 4294967296B.',
      ),
    ],
  }),
  words({
    id: 'root-device-hints',
    of: 'host',
    says: /No suitable device was found|No devices could be found using the root device hints|Failed to validate the root device hints|DeviceNotFound/i,
    cause: 'No disk of the server matches spec.rootDeviceHints.',
    next: 'Correct the hints: all of them must match one disk. The disks are in the HardwareData.',
    commands: [HARDWARE, `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.rootDeviceHints}'`, EDIT],
    examples: [
      deployment(
        step(
          'deploy.write_image',
          "{'type': 'DeviceNotFound', 'code': 404, 'details': \"No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}\"}",
        ),
      ),
    ],
  }),
  words({
    id: 'agent-silent-deploy',
    of: 'host',
    says: /Timeout reached while waiting for callback/i,
    cause: 'The deploy agent of the server never called: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
    examples: [deployment(`Timeout reached while waiting for callback for node ${NODE}`)],
  }),
  words({
    id: 'agent-silent-inspection',
    of: 'host',
    says: /timeout reached while inspecting/i,
    cause: 'The deploy agent of the server never called during inspection: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
    examples: [hostError('inspection error', 'timeout reached while inspecting the node')],
  }),
  words({
    id: 'agent-silent-cleaning',
    of: 'host',
    says: /Timeout reached while cleaning/i,
    cause: 'The deploy agent of the server stopped answering while it cleaned the disks.',
    next: 'Look at the console of the server; large or broken disks may need longer than Ironic waits.',
    commands: [RETRY],
    examples: [
      hostError(
        'provisioning error',
        "Cleaning failed: Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {'step': 'erase_devices_metadata', 'interface': 'deploy'}.",
        { state: 'deprovisioning' },
      ),
    ],
  }),
  words({
    id: 'agent-lost',
    of: 'host',
    says: /Agent (seems offline|failed to come back)|AgentConnectionFailed|Error (contacting|invoking) agent|Connection to agent failed|Failed to connect to the agent/i,
    cause: 'Ironic has lost the deploy agent of the server in the middle of its work.',
    next: 'Look at the console of the server and at the network between it and Ironic.',
    commands: [RETRY],
    examples: [
      deployment(
        'Connection to agent failed: Failed to connect to the agent running on node 1be2 for invoking command standby.prepare_image',
      ),
    ],
  }),
  words({
    id: 'raid',
    of: 'host',
    says: /\braid\b|volume\[\d+\]|numberOfPhysicalDisks|physicalDisks/i,
    cause: 'The RAID volumes of the spec cannot be built on this server.',
    next: 'Correct spec.raid: the message names the volume.',
    commands: [EDIT],
    examples: [
      hostError('preparation error', "RAID settings are defined, but the node's driver no-raid does not support RAID"),
      hostError('preparation error', 'the level in first volume of software raid must be RAID1'),
    ],
  }),
  words({
    id: 'clean-step',
    of: 'host',
    says: /Clean step \S+ failed|Cleaning failed|Failed to (prepare node|tear down).*clean/i,
    cause: 'A step of the cleaning failed on the server.',
    next: 'Read what the step says: often a disk that is broken or protected. Then ask for another try.',
    commands: [HARDWARE, RETRY],
    examples: [
      hostError(
        'provisioning error',
        `Cleaning failed: Clean step deploy.erase_devices_metadata failed on node ${NODE}. Error erasing block device: /dev/sda: input/output error`,
        { state: 'deprovisioning' },
      ),
    ],
  }),
  words({
    id: 'deploy-step',
    of: 'host',
    says: /Deploy step \S+ failed/i,
    cause: 'A step of the deployment failed on the server.',
    next: 'Read what the step says. The deployment is tried again by itself.',
    commands: ['kubectl -n {namespace} events --for bmh/{host}', RETRY],
    examples: [
      deployment(
        step('deploy.install_bootloader', "{'type': 'CommandExecutionError', 'details': 'efibootmgr failed'}"),
      ),
    ],
  }),
  words({
    id: 'profile-unknown',
    of: 'host',
    says: /no hardware profile named "/,
    cause: 'The host names a hardware profile that does not exist.',
    next: 'Remove spec.hardwareProfile, and set spec.rootDeviceHints instead.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type json -p '[{"op":"remove","path":"/spec/hardwareProfile"}]'`,
    ],
    examples: [hostError('registration error', 'no hardware profile named "dell-r650"')],
  }),
];
