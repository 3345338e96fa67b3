import { aDeployment, type Examples, hostError, NODE } from './sights.ts';

const step = (name: string, details: string) => `Deploy step ${name} failed on node ${NODE}. ${details}`;

export const SERVER_EXAMPLES = {
  'disk-too-small': [
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
  'root-device-hints': [
    aDeployment(
      step(
        'deploy.write_image',
        "No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}",
      ),
    ),
  ],
  'agent-silent-deploy': [aDeployment(`Timeout reached while waiting for callback for node ${NODE}`)],
  'agent-silent-inspection': [hostError('inspection error', 'timeout reached while inspecting the node')],
  'agent-silent-cleaning': [
    hostError(
      'provisioning error',
      "Cleaning failed: Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {'step': 'erase_devices_metadata', 'interface': 'deploy'}.",
      { state: 'deprovisioning' },
    ),
  ],
  'agent-lost': [
    aDeployment(
      'Connection to agent failed: Failed to connect to the agent running on node 1be2 for invoking command standby.prepare_image',
    ),
    aDeployment(
      `Deploy step deploy.write_image failed: Connection to agent failed: Failed to connect to the agent running on node ${NODE} for invoking command deploy.execute_deploy_step. Error: HTTPSConnectionPool(host='10.0.0.8', port=9999): Max retries exceeded with url: /v1/commands (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1006)')))`,
    ),
    aDeployment(`Timeout executing command deploy.execute_deploy_step on node ${NODE}`),
  ],
  raid: [
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
  'bmc-error': [
    hostError(
      'power management error',
      "PowerOn operation failed: Failed to change power state to 'power on': Redfish exception occurred. Error: Setting power state to power on failed for node 1be2. Error: HTTP POST https://10.0.0.7/redfish/v1/Systems/1/Actions/ComputerSystem.Reset returned code 500. Base.1.0.GeneralError: internal error",
    ),
    hostError(
      'preparation error',
      'Redfish exception occurred. Error: Resource https://10.0.0.7/redfish/v1/UpdateService not found',
    ),
  ],
  'clean-step': [
    hostError(
      'provisioning error',
      `Cleaning failed: Clean step deploy.erase_devices_metadata failed on node ${NODE}. Error erasing block device: /dev/sda: input/output error`,
      { state: 'deprovisioning' },
    ),
  ],
  'deploy-step': [
    aDeployment(step('deploy.install_bootloader', 'efibootmgr failed')),
    aDeployment(
      step('deploy.write_image', 'the disk is on fire'),
      'http://images.example/raid/configdrive/InvalidImage.raw',
    ),
    aDeployment(
      `Agent API for node ${NODE} returned HTTP status code 404 with error: Could not find method: write_image`,
    ),
  ],
  'profile-unknown': [hostError('registration error', 'no hardware profile named "dell-r650"')],
} satisfies Examples;
