import { type Diagnosis, words } from '../diagnosis.ts';
import { aDeployment, hostError, NODE } from '../example.ts';
import { BUILDS_VOLUMES, OTHER_DISK, OTHER_IMAGE, RESTARTS_BMC } from '../risks.ts';

const EDIT = 'kubectl -n {namespace} edit bmh {host}';
const HARDWARE = `kubectl -n {namespace} get hardwaredata {host} -o jsonpath='{.spec.hardware.storage}'`;
const RETRY = "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'";
const step = (name: string, details: string) => `Deploy step ${name} failed on node ${NODE}. ${details}`;

/** The server itself: its disks, and whether its deploy agent was heard. */
export const SERVER: readonly Diagnosis[] = [
  words({
    id: 'disk-too-small',
    of: 'host',
    says: /No space left on device|block devices are smaller than|Root partition is too small|Device '[^']*' is too small|disk .*too small|output file is smaller than input file/i,
    cause: 'The disk is too small for the image.',
    risk: `${OTHER_DISK} ${OTHER_IMAGE}`,
    next: 'Choose a larger disk with spec.rootDeviceHints, or a smaller image. The disks are in the HardwareData {host}.',
    commands: [HARDWARE, EDIT],
    examples: [
      aDeployment(
        step(
          'deploy.write_image',
          'Download of image ubuntu.raw failed: Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device',
        ),
      ),
      aDeployment(
        step(
          'deploy.write_image',
          'Writing image to device /dev/sda failed with exit code 1. stdout: . stderr: qemu-img: output file is smaller than input file',
        ),
      ),
      aDeployment(
        'No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than 4294967296B.',
      ),
    ],
  }),
  words({
    id: 'root-device-hints',
    of: 'host',
    says: /No suitable device was found|No devices could be found using the root device hints|Failed to validate the root device hints|DeviceNotFound/i,
    cause: 'No disk of the server matches spec.rootDeviceHints.',
    risk: OTHER_DISK,
    next: 'Correct the hints: all of them must match one disk. The disks are in the HardwareData {host}.',
    commands: [HARDWARE, `kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.rootDeviceHints}'`, EDIT],
    examples: [
      aDeployment(
        step(
          'deploy.write_image',
          "No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}",
        ),
      ),
    ],
  }),
  words({
    id: 'agent-silent-deploy',
    of: 'host',
    whileDeleting: true,
    says: /Timeout reached while waiting for callback/i,
    cause: 'The deploy agent of the server never called: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
    examples: [aDeployment(`Timeout reached while waiting for callback for node ${NODE}`)],
  }),
  words({
    id: 'agent-silent-inspection',
    of: 'host',
    whileDeleting: true,
    says: /timeout reached while inspecting/i,
    cause: 'The deploy agent of the server never called during inspection: it did not boot, or cannot reach Ironic.',
    next: 'Look at the console of the server while it boots: boot order, boot MAC address, DHCP, and the way to Ironic.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bootMACAddress} {.spec.bootMode}'`, RETRY],
    examples: [hostError('inspection error', 'timeout reached while inspecting the node')],
  }),
  words({
    id: 'agent-silent-cleaning',
    of: 'host',
    whileDeleting: true,
    says: /Timeout reached while cleaning/i,
    cause: 'The deploy agent of the server stopped answering while it cleaned the disks.',
    next: 'Look at the console of the server. Large or broken disks may take longer than Ironic waits.',
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
    whileDeleting: true,
    says: /Agent (seems offline|failed to come back)|AgentConnectionFailed|Error (contacting|invoking) agent|Connection to agent failed|Failed to connect to the agent|Timeout executing command \S+ on node/i,
    cause: 'Ironic has lost the deploy agent of the server in the middle of its work.',
    next: 'Look at the console of the server and at the network between it and Ironic.',
    commands: [RETRY],
    examples: [
      aDeployment(
        'Connection to agent failed: Failed to connect to the agent running on node 1be2 for invoking command standby.prepare_image',
      ),
      aDeployment(
        `Deploy step deploy.write_image failed: Connection to agent failed: Failed to connect to the agent running on node ${NODE} for invoking command deploy.execute_deploy_step. Error: HTTPSConnectionPool(host='10.0.0.8', port=9999): Max retries exceeded with url: /v1/commands (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)')))`,
      ),
      aDeployment(`Timeout executing command deploy.execute_deploy_step on node ${NODE}`),
    ],
  }),
  words({
    id: 'raid',
    of: 'host',
    says: /RAID (settings|level|volumes?|configuration)|(software|hardware) RAID|RAID\d|\braid\.\w+_configuration|'interface': 'raid'|target_raid_config|(physical|logical) disks?\b|volume\[\d+\]|numberOfPhysicalDisks|physicalDisks/i,
    cause: 'The RAID volumes of the spec cannot be built on this server.',
    risk: BUILDS_VOLUMES,
    next: 'Correct spec.raid: the message names the volume.',
    commands: [EDIT],
    examples: [
      hostError('preparation error', "RAID settings are defined, but the node's driver no-raid does not support RAID"),
      hostError('preparation error', 'the level in first volume of software raid must be RAID1'),
      hostError(
        'preparation error',
        `Node ${NODE} failed step {'step': 'delete_configuration', 'priority': 0, 'interface': 'raid'}: Redfish exception occurred. Error: HTTP GET https://10.0.0.7/redfish/v1/Systems/1/Storage returned code 501. Base.1.0.GeneralError: Feature not available`,
      ),
      hostError(
        'preparation error',
        `Clean step raid.create_configuration failed on node ${NODE}. Software RAID needs two disks, found: /dev/sda`,
      ),
    ],
  }),
  words({
    id: 'bmc-error',
    of: 'host',
    whileDeleting: true,
    says: /Redfish exception occurred|HTTP [A-Z]+ \S+ returned code \d|Resource \S+\/redfish\/\S+ not found|is missing from the resource \S*\/redfish\//i,
    cause: 'The BMC answers a request of Ironic with an error.',
    risk: RESTARTS_BMC,
    next: 'Read the answer of the BMC in the message: often a restart of the BMC, or newer firmware for it, helps. The host tries again by itself.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`, RETRY],
    examples: [
      hostError(
        'power management error',
        "PowerOn operation failed: Failed to change power state to 'power on': Redfish exception occurred. Error: Setting power state to power on failed for node 1be2. Error: HTTP POST https://10.0.0.7/redfish/v1/Systems/1/Actions/ComputerSystem.Reset returned code 500. Base.1.0.GeneralError: internal error",
      ),
      hostError(
        'preparation error',
        'Redfish exception occurred. Error: Resource https://10.0.0.7/redfish/v1/UpdateService not found',
      ),
    ],
  }),
  words({
    id: 'clean-step',
    of: 'host',
    whileDeleting: true,
    says: /Clean step \S+ failed|Cleaning failed|Failed to (prepare node|tear down).*clean/i,
    cause: 'A step of the cleaning failed on the server.',
    next: 'Read what the step says: often a disk that is broken or protected. The disks are in the HardwareData {host}. Then ask for another try.',
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
    says: /Deploy step \S+ failed|Agent API for node \S+ returned/i,
    cause: 'A step of the deployment failed on the server.',
    next: 'Read what the step says. The deployment is tried again by itself.',
    commands: ['kubectl -n {namespace} events --for bmh/{host}', RETRY],
    examples: [
      aDeployment(step('deploy.install_bootloader', 'efibootmgr failed')),
      aDeployment(
        step('deploy.write_image', 'the disk is on fire'),
        'http://images.example/raid/configdrive/InvalidImage.raw',
      ),
      aDeployment(
        `Agent API for node ${NODE} returned HTTP status code 404 with error: Could not find method: write_image`,
      ),
    ],
  }),
  words({
    id: 'profile-unknown',
    of: 'host',
    says: /no hardware profile named "/,
    cause: 'The host names a hardware profile that does not exist.',
    risk: OTHER_DISK,
    next: 'Remove spec.hardwareProfile, and set spec.rootDeviceHints instead.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type json -p '[{"op":"remove","path":"/spec/hardwareProfile"}]'`,
    ],
    examples: [hostError('registration error', 'no hardware profile named "dell-r650"')],
  }),
];
