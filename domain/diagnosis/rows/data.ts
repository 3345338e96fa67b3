import { type Diagnosis, words } from '../diagnosis.ts';
import { GOES_ON, INSPECTS, NEW_TEMPLATE, WRITES_IMAGE } from '../risks.ts';
import { nameOf } from '../sight.ts';

const EDIT = 'kubectl -n {namespace} edit bmh {host}';
const EDIT_SECRET = 'kubectl -n {namespace} edit secret {secret}';

/** The Secrets and documents of a deployment, and the data of a machine. */
export const DATA: readonly Diagnosis[] = [
  words({
    id: 'data-secret-missing',
    says: /failed to fetch secret (?<secret>[a-z0-9.-]+) in namespace/,
    cause: 'A Secret with data of the deployment does not exist.',
    risk: GOES_ON,
    next: 'Create the Secret {secret}, or correct its name in the spec; the deployment goes on by itself.',
    commands: ['kubectl -n {namespace} get secret {secret}', EDIT],
  }),
  {
    id: 'data-secret-absent',
    of: 'host',
    see: ({ host, missingSecrets = [] }) => {
      const named = missingSecrets.filter(({ field }) => field !== 'spec.bmc.credentialsName');
      const [first, ...rest] = named.map(({ name, field }) => ({
        object: host === undefined ? 'BareMetalHost' : nameOf(host),
        field,
        words: `Secret ${name} does not exist`,
      }));
      if (first === undefined || host === undefined) return undefined;
      return { evidence: [first, ...rest], names: { secret: named[0]?.name ?? '' } };
    },
    cause: 'The spec names a Secret that does not exist.',
    risk: GOES_ON,
    next: 'Create the Secret {secret}, or correct its name in the spec. A deployment waits for data without an error; without the login for a registry it fails.',
    commands: ['kubectl -n {namespace} get secret {secret}', EDIT],
  },
  words({
    id: 'data-secret-key',
    says: /Secret (?<secret>[a-z0-9.-]+) does not contain key/,
    cause: 'A Secret with data of the deployment lacks the key that is read.',
    risk: GOES_ON,
    next: 'Put the data into the Secret {secret} under the key userData, metaData or networkData, or under value.',
    commands: [`kubectl -n {namespace} get secret {secret} -o jsonpath='{.data}'`],
  }),
  words({
    id: 'data-secret-elsewhere',
    says: /secret must be in same namespace as host|cross-namespace secret reference/i,
    cause: 'The spec names a Secret of another namespace.',
    risk: GOES_ON,
    next: 'Copy the Secret into the namespace of the host, and name it without a namespace.',
    commands: [EDIT],
  }),
  words({
    id: 'data-nmstate',
    says: /Secret (?<secret>[a-z0-9.-]+), key \S+: it holds nmstate/,
    cause: 'The Secret holds nmstate, where OpenStack network data belongs: only image builders read nmstate.',
    risk: GOES_ON,
    next: 'Write the network as OpenStack network data (links, networks, services) into the Secret {secret}, or use a builder that reads nmstate (BUILD_PREPROV_IMAGE) for the deploy agent and user data for the deployed system.',
    commands: [EDIT_SECRET],
  }),
  words({
    id: 'data-secret-unread',
    says: /Secret (?<secret>[a-z0-9.-]+): it has no network data/,
    cause: 'The Secret has keys, and none of those from which network data is read.',
    risk: GOES_ON,
    next: 'Put OpenStack network data into the Secret {secret} under the key networkData; the host goes on at once.',
    commands: [EDIT_SECRET],
  }),
  words({
    id: 'data-document',
    says: /Secret (?<secret>[a-z0-9.-]+), key [\w.-]+(, line \d+, column \d+)?: /,
    cause: 'Metadata or network data in a Secret is not a valid YAML or JSON object, or exceeds a bound of documents.',
    risk: GOES_ON,
    next: 'Correct the Secret {secret} where the message says; the host goes on at once.',
    commands: [EDIT_SECRET],
  }),
  words({
    id: 'data-config-drive',
    says: /configdrive/i,
    cause: 'Ironic cannot build the config drive from the data of the deployment.',
    risk: GOES_ON,
    next: 'Correct the Secrets that are named in spec.userData, spec.metaData and spec.networkData.',
    commands: [EDIT],
  }),
  words({
    id: 'pool-exhausted',
    of: 'machine',
    says: /Exhausted IP Pools?/i,
    cause: 'The IPPool has no free address.',
    risk: WRITES_IMAGE,
    next: 'Add a range to spec.pools of the IPPool, or delete claims that are not needed any more; the machine goes on by itself.',
    commands: [
      'kubectl -n {namespace} get ippools.ipam.metal3.io',
      'kubectl -n {namespace} get ipclaims',
      'kubectl -n {namespace} get ipaddresses.ipam.metal3.io',
    ],
  }),
  words({
    id: 'pool-kind-unknown',
    of: 'machine',
    waitsForChange: true,
    says: /(?:has|have) no kind (?<kind>\w+)/,
    cause: 'The template names a pool of kind {kind} in an API group that has no such kind.',
    risk: `${WRITES_IMAGE} ${NEW_TEMPLATE}`,
    next: 'Name the group that the message says in apiGroup, without a version. A Metal3DataTemplate cannot be changed: create another one, and name it in the Metal3MachineTemplate.',
    commands: ['kubectl get crds', 'kubectl -n {namespace} get metal3datatemplates'],
  }),
  words({
    id: 'pool-ambiguous',
    of: 'machine',
    waitsForChange: true,
    says: /multiple references with the same name/,
    cause:
      'The template names two pools of one name in different groups or of different kinds, so that their claims would have one name.',
    risk: `${WRITES_IMAGE} ${NEW_TEMPLATE}`,
    next: 'Give apiGroup and kind to each reference to the pool, the same ones. A Metal3DataTemplate cannot be changed: create another one, and name it in the Metal3MachineTemplate.',
    commands: ['kubectl -n {namespace} get metal3datatemplates -o yaml'],
  }),
  words({
    id: 'claim-elsewhere',
    of: 'machine',
    says: /waiting for [^]*(?<kind>IPClaim|IPAddressClaim) (?<claim>[a-z0-9.-]+), which (belongs|is being deleted)/,
    cause: 'The {kind} {claim} of an earlier machine is still there.',
    next: 'Nothing, if it is being deleted. Otherwise find out what it belongs to, and whether that is still needed.',
    commands: ['kubectl -n {namespace} get {kind} {claim} -o yaml'],
  }),
  words({
    id: 'pool-waits',
    of: 'machine',
    says: /waiting for [^]*(?:an address from|a claim for) (?<kind>\w+) (?<pool>[a-z0-9.-]*[a-z0-9])/,
    cause: 'The {kind} {pool} has not given an address yet.',
    risk: WRITES_IMAGE,
    next: 'Look at the {kind} {pool}, and create it in the namespace of the machine if it does not exist. If it does, look at the controller of its kind. If the message names an API group, the one in the template may be wrong.',
    commands: [
      'kubectl -n {namespace} describe {kind} {pool}',
      'kubectl -n {namespace} get ipclaims',
      'kubectl -n {namespace} get ipaddressclaims.ipam.cluster.x-k8s.io',
    ],
  }),
  words({
    id: 'pool-missing',
    of: 'machine',
    says: /pool not found|failed to fetch pool|waiting for (the )?pool|IPPool\S* .*not found/i,
    cause: 'The template names a pool that does not exist.',
    risk: `${WRITES_IMAGE} ${NEW_TEMPLATE}`,
    next: 'Create the pool in the namespace of the machine. A Metal3DataTemplate cannot be changed: if the name is wrong, create another one, and name it in the Metal3MachineTemplate.',
    commands: ['kubectl -n {namespace} get ippools.ipam.metal3.io', 'kubectl -n {namespace} get metal3datatemplates'],
  }),
  words({
    id: 'template-bad',
    of: 'machine',
    says: /bad MAC address|NIC name not found|NICs list not populated|annotation \S+ not found or empty|unknown object type|illegal params|has no prefix|control characters are not allowed/,
    cause: 'The Metal3DataTemplate asks for something that this host or machine does not have.',
    risk: `${WRITES_IMAGE} ${INSPECTS} ${NEW_TEMPLATE}`,
    next: 'A Metal3DataTemplate cannot be changed: create another one that is correct where the message says, and name it in the Metal3MachineTemplate. If the hardware has changed, inspect the BareMetalHost {host} again while it is available.',
    commands: [
      'kubectl -n {namespace} get metal3datatemplates',
      'kubectl -n {namespace} get metal3data',
      `kubectl -n {namespace} get bmh {host} -o jsonpath='{.status.hardware.nics}'`,
    ],
  }),
  words({
    id: 'template-missing',
    of: 'machine',
    says: /Metal3DataTemplate (is not found|to be available)/,
    cause: 'The Metal3DataTemplate that the machine names does not exist, or has not answered yet.',
    risk: `${WRITES_IMAGE} ${NEW_TEMPLATE}`,
    next: 'Create it in the namespace of the machine, or correct spec.dataTemplate of the Metal3MachineTemplate.',
    commands: ['kubectl -n {namespace} get metal3datatemplates', 'kubectl -n {namespace} get metal3dataclaims'],
  }),
  words({
    id: 'data-not-ready',
    of: 'machine',
    says: /waiting for Metal3Data|Metal3Data(Claim)? is not found/,
    cause: 'The data of the machine is not rendered yet.',
    next: 'Look at the Metal3Data and the address claims of the machine.',
    commands: ['kubectl -n {namespace} get metal3dataclaims,metal3data', 'kubectl -n {namespace} get ipclaims'],
  }),
];
