import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { isHeldBy } from '../../host/steering/holds.ts';
import { PAUSED_BY_CLUSTER } from '../../machine/names.ts';
import { isFree, traitsOf } from '../../states/table.ts';
import { askedBy } from '../../steering/annotations.ts';
import { inWords } from '../../steering/messages.ts';
import { leavesDetached } from '../deletion.ts';
import { type Diagnosis, type Finding, holding, shows } from '../diagnosis.ts';
import { GOES_ON, MANAGES_SERVER, WRITES_IMAGE } from '../risks.ts';
import type { SeenHost } from '../sight.ts';

const annotation = (host: SeenHost | undefined, key: string): Finding | undefined =>
  shows(host, `annotation ${key}`, host?.annotations[key] === undefined ? undefined : wordsFor(host, key));

function wordsFor({ annotations }: SeenHost, key: string): string {
  const asked = askedBy(annotations, key);
  return asked === undefined ? '' : inWords(asked);
}

const isPaused = (host: SeenHost | undefined): boolean => host?.annotations[ANNOTATIONS.paused] !== undefined;

/** What people, or the spec, hold back on purpose. */
export const HELD: readonly Diagnosis[] = [
  holding({
    id: 'paused-by-cluster',
    see: ({ host }) =>
      host?.annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER ? annotation(host, ANNOTATIONS.paused) : undefined,
    cause: 'The host is paused together with its Cluster.',
    next: 'Set spec.paused of the Cluster {cluster} to false.',
    commands: [`kubectl -n {namespace} patch cluster {cluster} --type merge -p '{"spec":{"paused":false}}'`],
  }),
  holding({
    id: 'paused',
    see: ({ host }) =>
      host?.annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER ? undefined : annotation(host, ANNOTATIONS.paused),
    cause: 'The host is paused: nothing is done with it.',
    next: 'Resume it.',
    commands: [
      'npx temper resume host {host} -n {namespace} --reason WHY',
      `kubectl -n {namespace} annotate bmh {host} ${ANNOTATIONS.paused}-`,
    ],
  }),
  holding({
    id: 'quarantine',
    see: ({ host }) => annotation(host, STEERING_ANNOTATIONS.quarantine),
    cause: 'The host is in quarantine: nothing is begun on it, and no machine chooses it.',
    next: 'Release it.',
    commands: [
      'npx temper release host {host} -n {namespace} --reason WHY',
      `kubectl -n {namespace} annotate bmh {host} ${STEERING_ANNOTATIONS.quarantine}-`,
    ],
  }),
  holding({
    id: 'parked',
    see: ({ host }) => annotation(host, STEERING_ANNOTATIONS.abort),
    cause: 'A person has aborted the operation of the host: the host is parked.',
    next: 'Resume it, or have it try again.',
    commands: [
      'npx temper resume host {host} -n {namespace} --reason WHY',
      `kubectl -n {namespace} annotate bmh {host} ${STEERING_ANNOTATIONS.retry}=WHY`,
    ],
  }),
  holding({
    id: 'detached',
    // Without a delay it does not hold a deletion up.
    see: ({ host }) => (host?.deleting && leavesDetached(host) ? undefined : annotation(host, ANNOTATIONS.detached)),
    cause: 'The host is detached: Ironic does not manage it, and its server keeps running.',
    next: 'Remove the annotation, so that Ironic manages the host again.',
    commands: [`kubectl -n {namespace} annotate bmh {host} ${ANNOTATIONS.detached}-`],
  }),
  {
    id: 'no-slot',
    of: 'host',
    whileDeleting: true,
    see: ({ host }) =>
      shows(host, 'status.operationalStatus', host?.operationalStatus === 'delayed' && host.operationalStatus),
    cause: 'The host waits for its turn: Ironic works on as many hosts as PROVISIONING_LIMIT of the bridge allows.',
    risk: GOES_ON,
    next: 'Nothing: the host goes on when one of these hosts ends its operation. If Ironic can work on more, raise PROVISIONING_LIMIT.',
    commands: ['kubectl get bmh -A -o wide'],
  },
  {
    id: 'no-bmc',
    of: 'host',
    see: ({ host }) =>
      shows(host, 'status.provisioning.state', host !== undefined && traitsOf(host.state).lacksBmc && host.state),
    cause: 'The host has no BMC details, so nothing can be done with it.',
    risk: MANAGES_SERVER,
    next: 'Set spec.bmc.address and spec.bmc.credentialsName.',
    commands: [
      `kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"bmc":{"address":"ADDRESS","credentialsName":"SECRET"}}}'`,
    ],
  },
  {
    id: 'wants-to-be-off',
    of: 'host',
    see: ({ host }) => {
      const waits = host !== undefined && isFree(host.state) && host.wantsImage && !host.online && !isPaused(host);
      return shows(host, 'spec.online', waits && 'false, with an image in spec.image');
    },
    cause:
      'The host has an image to deploy, but spec.online is false: a host is deployed only when spec.online is true.',
    risk: WRITES_IMAGE,
    next: 'Set spec.online to true.',
    commands: [`kubectl -n {namespace} patch bmh {host} --type merge -p '{"spec":{"online":true}}'`],
  },
  {
    id: 'kept-off',
    of: 'host',
    see: ({ host }) => {
      const key = Object.keys(host?.annotations ?? {}).find((each) => each.startsWith(`${ANNOTATIONS.reboot}/`));
      return key === undefined || host?.poweredOn === true ? undefined : shows(host, 'metadata.annotations', key);
    },
    cause: 'A reboot annotation with a suffix keeps the host off until the client that set it removes it.',
    risk: 'Without the annotation the server is powered on, if spec.online is true.',
    next: 'Find out whether a remediation or a person has set the annotation, before you remove it.',
    commands: [`kubectl -n {namespace} get bmh {host} -o jsonpath='{.metadata.annotations}'`],
  },
  {
    id: 'no-image',
    of: 'host',
    see: ({ host }) => {
      const isIdle = host !== undefined && isFree(host.state) && !host.wantsImage && host.consumer === '';
      return shows(host, 'spec.image', isIdle && host.errorType === undefined && !isHeld(host) && 'empty');
    },
    cause: 'Nothing is wrong: the host is available, and nobody has asked for an image on it yet.',
    risk: WRITES_IMAGE,
    next: 'Set spec.image, or create a Machine that may choose the host.',
    commands: ['kubectl -n {namespace} edit bmh {host}'],
  },
];

const isHeld = ({ annotations }: SeenHost): boolean => isHeldBy(annotations) || ANNOTATIONS.detached in annotations;
