import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../domain/cluster-api/names.ts';
import type { SeenCondition, Sight } from '../../domain/diagnosis/sight.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { type Asked, inWords } from '../../domain/steering/messages.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { sightOf } from '../explain/sights.ts';

/** What an object shows of its state and of the problem in it. */
interface Shown {
  readonly state: string;
  /** '' when all is as desired. */
  readonly reason: string;
  readonly message: string;
  /** RFC 3339; '' before the object shows it. */
  readonly since: string;
}

/** What a BareMetalHost or a Metal3Machine shows. Lenient: whatever is malformed is read as empty. */
export function shownOf(kind: FollowedKind, object: unknown): Shown {
  const isHost = kind === KINDS.host;
  const sight = sightOf({ [isHost ? 'host' : 'metal3Machine']: object, missingSecrets: [] }, {}, {}, 0);
  return isHost ? hostShown(sight) : machineShown(sight);
}

function hostShown({ host }: Sight): Shown {
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

function machineShown({ machine }: Sight): Shown {
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

const whyHeld = ([held]: readonly Held[]): Partial<Shown> =>
  held === undefined ? {} : { reason: held.word, message: inWords(held) };

const problemOf = (condition: SeenCondition | undefined): Pick<Shown, 'reason' | 'message'> =>
  condition === undefined || condition.status === 'True'
    ? { reason: '', message: '' }
    : { reason: condition.reason, message: condition.message };
