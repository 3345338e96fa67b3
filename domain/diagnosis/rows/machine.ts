import { OTHER_FAILURE_DOMAIN } from '../../entity/conditions.ts';
import { TAKEN } from '../../machine/choose-host/may-have.ts';
import { NO_MATCH } from '../../machine/choose-host/select-host.ts';
import { type Diagnosis, type Finding, holding, shows, words } from '../diagnosis.ts';
import { DELETES_MACHINE, MANAGES_SERVER, NEW_TEMPLATE, TAKES_HOST, WRITES_IMAGE } from '../risks.ts';
import { nameOf, type SeenCandidate, type Sight } from '../sight.ts';

const HOSTS = 'kubectl -n {namespace} get bmh --show-labels';
const SELECTOR = `kubectl -n {namespace} get metal3machine {machine} -o jsonpath='{.spec.hostSelector}'`;

/** Hosts that an answer names: more of them would hide the rest. */
const MOST_CANDIDATES = 10;

const isNoMatch = ({ obstacle }: SeenCandidate): boolean => obstacle === NO_MATCH;

/** Found when the machine looks for a host and `isSo` is true of the hosts. */
function lacksHost(sight: Sight, isSo: (hosts: readonly SeenCandidate[]) => boolean): Finding | undefined {
  const { machine, candidates } = sight;
  const { message } = machine?.conditions.find(({ type }) => type === 'AssociateBareMetalHost') ?? {};
  if (machine === undefined || candidates === undefined || machine.host !== '') return undefined;
  if (!message?.includes('no available host found') || !isSo(candidates)) return undefined;
  const shown = candidates.slice(0, MOST_CANDIDATES).map(({ name, obstacle }) => ({
    object: `BareMetalHost ${machine.namespace}/${name}`,
    field: 'cannot be chosen',
    words: obstacle ?? 'it could be chosen now',
  }));
  const left = candidates.length - shown.length;
  const asked = candidates.find(({ obstacle }) => obstacle !== NO_MATCH && obstacle !== TAKEN) ?? candidates[0];
  const more = { object: `${left} other hosts`, field: 'cannot be chosen', words: 'for such reasons' };
  return {
    evidence: [
      { object: nameOf(machine), field: 'condition AssociateBareMetalHost', words: message },
      ...shown,
      ...(left > 0 ? [more] : []),
    ],
    ...(asked !== undefined && { names: { host: asked.name } }),
  };
}

/** A machine before it has its host. */
export const MACHINE: readonly Diagnosis[] = [
  {
    id: 'no-hosts',
    of: 'machine',
    readsWords: true,
    see: (sight) => lacksHost(sight, (hosts) => hosts.length === 0),
    cause: 'There are no hosts in the namespace of the machine.',
    risk: `${MANAGES_SERVER} ${TAKES_HOST}`,
    next: 'Create BareMetalHosts in this namespace: a machine takes hosts of its own namespace only.',
    commands: ['kubectl get bmh -A', HOSTS],
  },
  {
    id: 'selector-matches-nothing',
    of: 'machine',
    readsWords: true,
    see: (sight) => lacksHost(sight, (hosts) => hosts.every(isNoMatch)),
    cause: 'No host has the labels that the machine asks for.',
    risk: `${TAKES_HOST} ${NEW_TEMPLATE}`,
    next: 'Label a host, or correct hostSelector in the Metal3MachineTemplate.',
    commands: [SELECTOR, HOSTS],
  },
  {
    id: 'hosts-taken',
    of: 'machine',
    readsWords: true,
    see: (sight) =>
      lacksHost(sight, (hosts) => hosts.filter((host) => !isNoMatch(host)).every(({ obstacle }) => obstacle === TAKEN)),
    cause: 'All hosts that the machine could use are taken.',
    risk: `${MANAGES_SERVER} ${DELETES_MACHINE}`,
    next: 'Add hosts, or scale something else down; the machine goes on when a host becomes free.',
    commands: ['kubectl -n {namespace} get bmh'],
  },
  {
    id: 'hosts-not-free',
    of: 'machine',
    readsWords: true,
    see: (sight) => lacksHost(sight, () => true),
    cause: 'No host can be chosen: each has a reason of its own.',
    next: 'Read the reason of each host above; the last command explains one of the hosts.',
    commands: ['kubectl -n {namespace} get bmh -o wide', 'npx temper explain host {host} -n {namespace}'],
  },
  words({
    id: 'no-host',
    of: 'machine',
    says: /no available host found\. /,
    cause: 'No host can be chosen; the hosts themselves could not be read.',
    next: 'Read the reasons in the message; a user who may list BareMetalHosts sees the reason of each host.',
    commands: [HOSTS],
  }),
  words({
    id: 'selector-invalid',
    of: 'machine',
    says: /: \[?(key|operator|values\S*): (Invalid|Unsupported) value: |: beyond the bound of the selector: /,
    cause: 'The hostSelector of the machine is invalid.',
    risk: `${TAKES_HOST} ${NEW_TEMPLATE}`,
    next: 'Correct hostSelector in the Metal3MachineTemplate.',
    commands: [SELECTOR],
  }),
  words({
    id: 'host-taken',
    of: 'machine',
    says: /BareMetalHost (?<host>\S+) is taken by/,
    cause: 'The host of the machine has another consumer now.',
    risk: DELETES_MACHINE,
    next: 'Find out who has changed spec.consumerRef of the host. Then delete the Machine {ownerMachine}, so that a new one is created with another host.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.spec.consumerRef}'`],
  }),
  words({
    id: 'host-gone',
    of: 'machine',
    says: /BareMetalHost not found for machine/,
    cause: 'The host of the machine does not exist any more.',
    risk: DELETES_MACHINE,
    next: 'Delete the Machine {ownerMachine}, so that a new one is created with another host.',
    commands: [
      'kubectl -n {namespace} get bmh',
      'kubectl -n {namespace} delete machine.cluster.x-k8s.io {ownerMachine}',
    ],
  }),
  words({
    id: 'machine-without-image',
    of: 'machine',
    says: /has neither Image\.URL nor CustomDeploy\.Method/,
    cause: 'The machine has nothing to deploy.',
    risk: `${TAKES_HOST} ${NEW_TEMPLATE}`,
    next: 'Set spec.template.spec.image in the Metal3MachineTemplate.',
    commands: [`kubectl -n {namespace} get metal3machine {machine} -o yaml`],
  }),
  words({
    id: 'machine-secret-elsewhere',
    of: 'machine',
    says: /cross-namespace secret reference is not allowed/,
    cause: 'The machine names a Secret of another namespace.',
    risk: WRITES_IMAGE,
    next: 'Copy the Secret into the namespace of the machine, and name it without a namespace.',
    commands: [`kubectl -n {namespace} get metal3machine {machine} -o yaml`],
  }),
  words({
    id: 'bootstrap-data-missing',
    of: 'machine',
    says: /Waiting for bootstrap data/,
    cause: 'The bootstrap provider has not created the user data of the machine yet.',
    next: 'Look at the Machine {ownerMachine} and at its bootstrap object: a worker waits until the control plane is initialized.',
    commands: [
      'kubectl -n {namespace} describe machine.cluster.x-k8s.io {ownerMachine}',
      'kubectl -n {namespace} get kubeadmconfigs',
    ],
  }),
  words({
    id: 'machine-without-owner',
    of: 'machine',
    says: /Waiting for Machine Controller to set OwnerRef/,
    cause: 'No Machine of Cluster API owns this Metal3Machine.',
    risk: TAKES_HOST,
    next: 'Create a Machine that names the Metal3Machine, which does nothing alone. If there is such a Machine, look at the logs of Cluster API’s controllers.',
    commands: ['kubectl -n {namespace} get machines.cluster.x-k8s.io'],
  }),
  holding({
    id: 'machine-paused',
    of: 'machine',
    see: ({ machine }) => {
      const paused = machine?.conditions.find(({ type, status }) => type === 'Paused' && status === 'True');
      if (machine === undefined || paused === undefined) return undefined;
      return { evidence: [{ object: nameOf(machine), field: 'condition Paused', words: paused.reason }] };
    },
    cause: 'The machine, or its Cluster, is paused.',
    next: 'Set spec.paused of the Cluster {cluster} to false, or remove the annotation from the Metal3Machine {machine}.',
    commands: [
      `kubectl -n {namespace} patch cluster {cluster} --type merge -p '{"spec":{"paused":false}}'`,
      'kubectl -n {namespace} annotate metal3machine {machine} cluster.x-k8s.io/paused-',
    ],
  }),
];

/** A machine with a host that is not as it was wanted. */
export const OTHERWISE: readonly Diagnosis[] = [
  {
    id: 'other-failure-domain',
    of: 'machine',
    see: ({ machine }) => {
      const found = machine?.conditions.find(({ type, status }) => type === OTHER_FAILURE_DOMAIN && status === 'True');
      return shows(machine, `condition ${OTHER_FAILURE_DOMAIN}`, found?.message);
    },
    cause: 'The machine is on a host of another failure domain than the one that was wanted: none there was free.',
    risk: `${MANAGES_SERVER} ${DELETES_MACHINE}`,
    next: 'Nothing, if that may stay so: the machine keeps its host. Otherwise free or add a host of the wanted failure domain, and delete the Machine {ownerMachine}, so that a new one chooses again.',
    commands: ['kubectl -n {namespace} get bmh --show-labels'],
  },
];
