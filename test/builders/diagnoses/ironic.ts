import { explained } from '../../../domain/ironic/mark.ts';
import { occupiedInWords } from '../../../domain/ironic/occupied.ts';
import { ADOPTION_FAILED, aCondition, aDeployment, type Examples, hostError, hostSight, NODE } from './sights.ts';

const pending = (message: string) =>
  hostSight({
    state: 'inspecting',
    poweredOn: false,
    texts: [{ field: 'last answer to a request that is repeated', words: message }],
  });

export const IRONIC_EXAMPLES = {
  'ironic-certificate': [
    pending(
      "can't read node 1be2: no answer from Ironic at https://ironic:6385: self-signed certificate in certificate chain",
    ),
    pending(
      "can't read node 1be2: no answer from Ironic at https://10.0.0.2:6385: Hostname/IP does not match certificate's altnames: IP: 10.0.0.2 is not in the cert's list",
    ),
  ],
  'node-protected': [
    hostError('provisioning error', `Node ${NODE} is protected and can not be undeployed, rebuilt or deleted.`, {
      nodeId: NODE,
    }),
  ],
  'ironic-elsewhere': [pending("can't read node 1be2: Ironic answered 404: 404 page not found")],
  'ironic-down': [
    pending(
      "can't inspect node 1be2: no answer from Ironic at https://ironic:6385: connect ECONNREFUSED 10.0.0.2:6385",
    ),
    // The answer of a proxy in front of Ironic.
    pending("can't read node node-1: Ironic answered 503: Service Unavailable"),
  ],
  'ironic-unauthorized': [pending("can't inspect node 1be2: Ironic answered 401: Incorrect username or password")],
  'ironic-old': [pending("Ironic at https://ironic:6385 speaks its API up to version '1.88', 1.89 is needed at least")],
  'deploy-kernel-missing': [
    hostError(
      'inspection error',
      "Failed to inspect hardware. Reason: unable to start inspection: Cannot validate PXE bootloader. Some parameters were missing in node's driver_info and configuration. Missing are: ['deploy_kernel', 'deploy_ramdisk']",
    ),
    hostError('inspection error', 'Missing are: [deploy_kernel, deploy_ramdisk]'),
  ],
  'driver-not-enabled': [
    hostError(
      'registration error',
      'No valid host was found. Reason: No conductor service registered which supports driver ipmi for conductor group "".',
    ),
    hostError(
      'registration error',
      "Could not find the following interface in the 'ironic.hardware.interfaces.boot' entrypoint: ipxe. Valid interfaces are ['redfish-virtual-media'].",
    ),
  ],
  'conductor-gone': [
    // What Ironic 39 answers when it has no conductor at all.
    pending("can't register node metal~node-1: Ironic answered 503: Resource temporarily unavailable, please retry."),
    pending('Ironic at https://ironic:6385 has no drivers: no conductor is up'),
    pending(
      "can't deploy node 1be2: Ironic answered 500: The built-in conductor is not available, it might have crashed. Please check the logs and correct the configuration, if required.",
    ),
    hostError('registration error', 'No valid host was found. Reason: no conductor answers.'),
    hostError(
      'provisioning error',
      "The deploying state can't be resumed by conductor ironic-0. Moving to fail state.",
    ),
  ],
  'conductor-busy': [hostError('inspection error', 'No free conductor workers available')],
  'ironic-queue-long': [
    pending(
      'BareMetalHost node-1 has had no turn: Ironic takes changes more slowly than they come: 96 more wait for their turn in this worker',
    ),
  ],
  'ironic-lock-kept': [
    hostError(
      'provisioning error',
      `can't tell what is so of node ${NODE}: ${explained('active', { kind: 'locked', isOverdue: true })}`,
    ),
  ],
  'ironic-answer-lost': [
    pending(`can't tell what is so of node ${NODE}: ${explained('deleted', { kind: 'may begin', forMs: 90_000 })}`),
    pending(`can't tell what is so of node ${NODE}: ${explained('active', { kind: 'locked', isOverdue: false })}`),
  ],
  'node-other-image': [
    hostError(
      'provisioning error',
      "node 1be2 is in state 'active' with another image; it has to be deprovisioned first",
    ),
  ],
  'node-lost': [
    hostError('registration error', 'Ironic lost the node while its BMC was being verified'),
    aDeployment(`Node ${NODE} could not be found.`),
    hostError('inspection error', `Ironic does not know node ${NODE}`),
  ],
  'node-in-fault': [
    hostError(
      'inspection error',
      "Ironic holds node 1be2 in maintenance because of a power failure: During sync_power_state, max retries exceeded for node 1be2, node state None does not match expected state 'power on'.",
    ),
  ],
  'node-not-in-use': [
    hostSight({
      conditions: [
        aCondition(
          'Manageable',
          'False',
          'NodeNotInUse',
          `Ironic has node ${NODE} in state 'deploy failed', although the host is in use: Ironic's database was put back to an earlier time, or somebody used Ironic directly. Delete the node from Ironic; it is then registered and adopted again`,
        ),
      ],
    }),
  ],
  'node-occupied': [hostError('provisioning error', occupiedInWords({ id: NODE, state: 'active' }), { nodeId: NODE })],
  'power-unreadable': [hostSight({ conditions: [aCondition('Manageable', 'False', 'PowerFailure')] })],
  adoption: [
    hostError(
      'provisioned registration error',
      `${ADOPTION_FAILED}Cannot validate image information for node ${NODE} because one or more parameters are missing from its instance_info`,
    ),
  ],
  'conductor-disk-full': [
    aDeployment(
      "Failed to prepare to deploy: Disk volume where '/shared/html/master_images' is located doesn't have enough disk space. Required 5000 MiB, only 100 MiB available space present.",
    ),
    aDeployment(
      'Failed to prepare to deploy: Could not download image http://images.example/ubuntu.raw to temp file /shared/tmp/1, error: [Errno 28] No space left on device',
    ),
  ],
  'permission-denied': [
    aDeployment(
      "Failed to prepare to deploy: Failed to download image http://images.example/ubuntu.raw, reason: [Errno 13] Permission denied: '/shared/html/master_images/1'",
    ),
    aDeployment(
      `Deploy step deploy.write_image failed on node ${NODE}. Download of image ubuntu.raw failed: Unable to write image to device /dev/sda. Error: [Errno 13] Permission denied`,
    ),
  ],
  'agent-image': [hostError('registration error', 'No acceptable image format supported')],
} satisfies Examples;
