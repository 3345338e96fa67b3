import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../domain/cluster-api/names.ts';
import type { SeenCondition, Sight } from '../../domain/diagnosis/sight.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { type Asked, inWords } from '../../domain/steering/messages.ts';
import { type FollowedKind, isSameKind, KINDS } from '../../kube/kinds.ts';
import { readCluster } from '../../kube/objects/cluster.ts';
import { sightOf } from '../explain/sights.ts';

/** The content of a line about an object. */
export interface ShownLine {
  readonly state: string;
  /** '' when all is as desired. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; '' before the object shows it. */
  readonly since: string;
}

export const isSameShown = (a: ShownLine, b: ShownLine): boolean =>
  a.state === b.state && a.reason === b.reason && a.message === b.message && a.since === b.since;

/** What a BareMetalHost, a Metal3Machine or a Cluster shows. Lenient: whatever is malformed is read as empty. */
export function shownOf(kind: FollowedKind, object: unknown): ShownLine {
  const subject = isSameKind(kind, KINDS.host) ? 'host' : isSameKind(kind, KINDS.cluster) ? 'cluster' : 'metal3Machine';
  // Runs and usual times are left out, because a watch reads only the objects.
  const sight = sightOf({ [subject]: object, missingSecrets: [] }, {}, {}, 0);
  if (subject === 'host') return hostShown(sight);
  return subject === 'cluster' ? clusterShown(sight, object) : machineShown(sight);
}

function hostShown({ host }: Sight): ShownLine {
  const { state = '', operationalStatus = '', errorType, texts = [], conditions = [], since, deleting } = host ?? {};
  const held = holdsOf(host?.annotations ?? {});
  const ready = conditions.find(({ type }) => type === 'Ready');
  const more = [
    ...(NORMAL.includes(operationalStatus) ? [] : [operationalStatus]),
    ...held.map(({ word }) => word),
    ...(deleting === true && !state.includes('delet') ? ['to be deleted'] : []),
  ];
  return {
    state: [state || 'new', ...more].join(', '),
    ...problemOf(ready),
    ...whyHeld(held),
    ...(errorType !== undefined && { reason: errorType, message: texts[0]?.words ?? '' }),
    since: since === undefined ? (ready?.since ?? '') : toSeconds(since),
  };
}

/** Operational statuses without a problem. '' before the status is written; a discovered host has no BMC yet. */
const NORMAL: readonly string[] = ['', 'OK', 'discovered'];

function machineShown({ machine }: Sight): ShownLine {
  const { host = '', conditions = [], deleting } = machine ?? {};
  const held = holdsOf(machine?.annotations ?? {});
  const ready = conditions.find(({ type }) => type === 'Ready');
  const more = [...held.map(({ word }) => word), ...(deleting === true ? ['to be deleted'] : [])];
  return {
    state: [host === '' ? 'without a host' : `on host ${host}`, ...more].join(', '),
    ...problemOf(ready),
    ...whyHeld(held),
    since: ready?.since ?? '',
  };
}

function clusterShown({ cluster }: Sight, object: unknown): ShownLine {
  const { conditions = [], paused } = cluster ?? {};
  const available = conditions.find(({ type }) => type === 'Available');
  return {
    state: [...(paused === true ? ['paused'] : []), readCluster(object).phase || 'new'].join(', '),
    ...problemOf(available),
    since: available?.since ?? '',
  };
}

interface Held extends Asked {
  readonly key: string;
  readonly word: string;
}

/** Annotations with which a person holds a host or a machine. */
const HOLDS = [
  { key: ANNOTATIONS.paused, word: 'paused' },
  { key: CLUSTER_ANNOTATIONS.paused, word: 'paused' },
  { key: STEERING_ANNOTATIONS.quarantine, word: 'in quarantine' },
  { key: STEERING_ANNOTATIONS.abort, word: 'parked' },
];

/** The annotations that hold a host or a machine, each with the person and the reason. */
export const holdsOf = (annotations: Readonly<Record<string, string>>): readonly Held[] =>
  HOLDS.flatMap(({ key, word }) => {
    const asked = askedBy(annotations, key);
    return asked === undefined ? [] : [{ ...asked, key, word }];
  });

const whyHeld = ([held]: readonly Held[]): Partial<ShownLine> =>
  held === undefined ? {} : { reason: held.word, message: inWords(held) };

const problemOf = (condition: SeenCondition | undefined): Pick<ShownLine, 'reason' | 'message'> =>
  condition === undefined || condition.status === 'True'
    ? { reason: '', message: '' }
    : { reason: condition.reason, message: condition.message };
