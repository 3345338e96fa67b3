import { type Diagnosis, shows, words } from '../diagnosis.ts';
import { logsOf, podsOf } from '../pods.ts';
import { OTHER_IMAGE, RESTARTS_IRONIC } from '../risks.ts';

const WORKERS = logsOf('workers');
const PODS = 'kubectl get pods -A | grep -i ironic';
const RETRY = "npx temper retry host {host} -n {namespace} --reason 'the cause is gone'";

/** Ironic: not there, not ours, without a conductor, busy, on a computer without space. */
export const IRONIC: readonly Diagnosis[] = [
  words({
    id: 'ironic-certificate',
    whileDeleting: true,
    says: /no answer from Ironic at \S+ [^]*(certificate|altnames)/i,
    cause: 'The workers do not trust the TLS certificate of Ironic.',
    risk: RESTARTS_IRONIC,
    next: 'Give the workers the authority that signed it, with IRONIC_CACERT_FILE, or give Ironic a certificate that is valid for its address.',
    commands: [WORKERS],
  }),
  words({
    id: 'node-protected',
    whileDeleting: true,
    says: /(?:\bnode (?<node>\S+) )?\bis protected and can ?not be\b/i,
    cause: 'Somebody has protected the node in Ironic, which then refuses to undeploy, rebuild or delete it.',
    risk: 'An unprotected node of a host that is to be deprovisioned or deleted is: its disks are cleaned unless that is disabled.',
    next: 'Find out who has protected it, and why. If it may go, end the protection in Ironic, and ask for another try.',
    commands: ['baremetal node unset --protected {node}', RETRY],
  }),
  words({
    id: 'ironic-elsewhere',
    whileDeleting: true,
    says: /Ironic answered 404\b/,
    cause:
      'Something else answers in Ironic’s place: a proxy without a backend, or a server at a wrong path. Nothing is known of the node, so nothing is done.',
    next: 'Look at what is between the workers and Ironic, and at the path in IRONIC_ENDPOINT. Nothing is lost: requests are repeated.',
    commands: [PODS, WORKERS],
  }),
  words({
    id: 'ironic-down',
    whileDeleting: true,
    says: /no answer from Ironic at|Ironic answered 50[24]\b|Ironic answered 503\b(?!.*(conductor|Resource temporarily unavailable))/i,
    cause: 'Ironic does not answer.',
    next: 'Start Ironic again, or correct IRONIC_ENDPOINT of the workers. Nothing is lost: requests are repeated.',
    commands: [PODS, WORKERS],
  }),
  words({
    id: 'ironic-unauthorized',
    whileDeleting: true,
    says: /Ironic answered 40[13]/,
    cause: 'Ironic does not accept the credentials of the workers.',
    next: 'Correct the credentials of Ironic in the settings of the workers.',
    commands: [WORKERS],
  }),
  words({
    id: 'ironic-old',
    whileDeleting: true,
    says: /speaks its API up to version/,
    cause: 'Ironic is too old.',
    risk: RESTARTS_IRONIC,
    next: 'Install a newer Ironic.',
    commands: [WORKERS],
  }),
  words({
    id: 'deploy-kernel-missing',
    whileDeleting: true,
    says: /(missing|Missing)[^]*\bdeploy_(kernel|ramdisk)\b/,
    cause: 'The host boots the deploy agent over the network, and nothing says where its kernel and its ramdisk are.',
    risk: RESTARTS_IRONIC,
    next: 'Set DEPLOY_KERNEL_URL and DEPLOY_RAMDISK_URL of the workers, or give Ironic a kernel and a ramdisk for all nodes. A host whose BMC has virtual media needs neither.',
    commands: [podsOf('workers'), RETRY],
  }),
  words({
    id: 'driver-not-enabled',
    whileDeleting: true,
    says: /No conductor service registered which supports driver (?<driver>[\w-]+)|Could not find the following driver\S* (?:or hardware type\S* )?(?<driver2>[\w-]+)|interface implementation '?(?<driver3>[\w-]+)'? is not supported by hardware type|Could not find the following interface in the \S+ entrypoint: (?<driver4>[\w-]+)/,
    cause: 'Ironic has no conductor with the driver or interface {driver}: usually it is not enabled there.',
    risk: RESTARTS_IRONIC,
    next: 'Enable {driver} in the configuration of Ironic (enabled_hardware_types, and the interfaces that it needs), or choose another scheme in spec.bmc.address. If it is enabled, look at the conductor that has it.',
    commands: ['baremetal driver list', PODS],
  }),
  words({
    id: 'conductor-gone',
    whileDeleting: true,
    says: /no conductor is up|can't be resumed by conductor|No valid host was found|Ironic answered 503: Resource temporarily unavailable|built-in conductor is not available|conductor .*(went offline|is offline)/i,
    cause: 'Ironic has no conductor for this node, or lost it in the middle of its work.',
    next: "Look at Ironic's conductor; the host tries again by itself.",
    commands: [PODS, RETRY],
  }),
  words({
    id: 'conductor-busy',
    whileDeleting: true,
    says: /No free conductor workers|lack of free conductor workers/i,
    cause: 'All threads of Ironic’s conductor are busy.',
    next: 'Nothing: the request is repeated. If the conductor stays busy, lower PROVISIONING_LIMIT or give Ironic more conductors.',
    commands: [],
  }),
  words({
    id: 'ironic-queue-long',
    whileDeleting: true,
    says: /Ironic takes changes more slowly than they come/,
    cause: 'The request of the host waits for its turn: Ironic takes changes more slowly than they come.',
    next: 'Nothing: its turn comes; power-off, abort and deletion go first. If the queue stays long, find out why Ironic needs so long for a change: usually its database, or a node that is locked for long.',
    commands: [PODS, WORKERS],
  }),
  words({
    id: 'ironic-lock-kept',
    whileDeleting: true,
    says: /can't tell what is so of node (?<node>\S+): [^]*holds the lock of the node for longer than any request takes/,
    cause:
      'The answer to a request was lost, and Ironic has kept the lock of node {node} ever since: the conductor that took it may be dead. Nothing is believed about the node meanwhile, and nothing is sent.',
    risk: RESTARTS_IRONIC,
    next: "Restart the conductor that the field reservation of the node names: Ironic's conductors release their own locks when they start. Then the host goes on.",
    commands: ['baremetal node show {node} --fields reservation provision_state', 'baremetal conductor list', PODS],
  }),
  words({
    id: 'ironic-answer-lost',
    whileDeleting: true,
    says: /can't tell what is so of node \S+: Ironic has not answered the request/,
    cause: 'The answer of Ironic to a request was lost, and the request may still be carried out.',
    next: 'Nothing: when Ironic can not begin with it any more, and the node is unlocked, the host goes on from what the node shows.',
    commands: [],
  }),
  words({
    id: 'node-other-image',
    says: /with another image; it has to be deprovisioned first/,
    cause: 'Ironic has recorded a different image on the node than the host shows.',
    risk: OTHER_IMAGE,
    next: 'Remove spec.image, wait until the host is available, and set it again.',
    commands: [`kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"image":null}}'`],
  }),
  words({
    id: 'node-lost',
    whileDeleting: true,
    says: /Ironic lost the node|Node \S+ could not be found|Ironic does not know (the )?node/,
    cause: 'The node of the host disappeared from Ironic.',
    next: 'Nothing: the host is registered again by itself. If this happens again, find out who deletes nodes in Ironic.',
    commands: [],
  }),
  words({
    id: 'node-in-fault',
    whileDeleting: true,
    says: /Ironic holds node \S+ in maintenance/,
    cause: 'Ironic keeps the node in maintenance, and does nothing with it, until a fault is gone.',
    next: 'Correct what the message says: usually the power of the server cannot be read.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`],
  }),
  words({
    id: 'node-not-in-use',
    whileDeleting: true,
    says: /Ironic has node (?<node>\S+) in state '[^']+', although the host is in use/,
    cause:
      'An image runs on the host, and Ironic takes its node for one that is deployed, erased or inspected: its database was put back to an earlier time, or somebody used Ironic directly.',
    risk: 'Where Ironic waits for an agent, it may power the server off when it gives up.',
    next: 'Delete the node from Ironic: that touches neither disk nor power, and the host is registered and adopted again within a minute.',
    commands: ['baremetal node maintenance set {node}', 'baremetal node delete {node}'],
  }),
  words({
    id: 'node-occupied',
    whileDeleting: true,
    says: /Ironic has node (?<node>\S+) in state '[^']+', although Temper has deployed nothing on the host/,
    cause:
      'Ironic has something on the node of this host, or is installing it, that Temper has not deployed: somebody used Ironic directly, or a database was put back to an earlier time. No machine gets the host.',
    risk: 'Undeploying the node erases what runs there, unless cleaning is disabled.',
    next: 'Find out what runs there, and who needs it. If somebody does, set spec.externallyProvisioned. If nobody does, undeploy the node in Ironic. If nothing runs there, because Ironic’s database was put back, delete the node, which touches neither disk nor power. The host is free again within a minute.',
    commands: [
      'baremetal node show {node} --fields provision_state provision_updated_at instance_uuid instance_info',
      'baremetal node undeploy {node}',
      'baremetal node maintenance set {node}',
      'baremetal node delete {node}',
    ],
  }),
  {
    id: 'power-unreadable',
    of: 'host',
    whileDeleting: true,
    see: ({ host }) => {
      const found = host?.conditions.find(({ type, reason }) => type === 'Manageable' && reason === 'PowerFailure');
      return shows(host, 'condition Manageable', found && `${found.status}, ${found.reason} ${found.message}`.trim());
    },
    cause: 'Ironic cannot read the power of the server from its BMC.',
    next: 'Check address, credentials and network of the BMC; Ironic notices by itself when it answers again.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.bmc.address}'`],
  },
  words({
    id: 'adoption',
    says: /Host adoption failed/,
    cause: 'Ironic could not take over the server that runs its image already.',
    next: 'Read what Ironic says; what runs on the server is not touched.',
    commands: ['kubectl -n {namespace} events --for bmh/{host}', RETRY],
  }),
  words({
    id: 'conductor-disk-full',
    says: /doesn't have enough disk space|(download image|link image|Creating \w+ image failed|the configdrive)[^]*No space left/i,
    cause: 'The computer of Ironic’s conductor has no space left for images.',
    next: 'Give the volume in the message more space, or delete files from it; the deployment is tried again by itself.',
    commands: [PODS, RETRY],
  }),
  words({
    id: 'permission-denied',
    whileDeleting: true,
    says: /\[Errno 13\]|Permission denied/,
    cause: 'Ironic’s conductor, or the deploy agent, may not use a file or a device of its own computer.',
    next: 'Correct the owner and the rights of the path in the message: for the conductor, usually those of the volume with the images.',
    commands: [PODS, RETRY],
  }),
  words({
    id: 'agent-image',
    says: /PreprovisioningImage|Architecture not supported|No acceptable image format|NetworkData secret not found/,
    cause: 'The deploy agent’s image for this host cannot be built.',
    next: 'Read the conditions of the PreprovisioningImage {host}, which has the name of the host.',
    commands: ['kubectl -n {namespace} describe preprovisioningimage {host}'],
  }),
];
