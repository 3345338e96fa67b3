import { z } from 'zod';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { lenientText, orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_ANNOTATIONS } from '../../domain/cluster-api/names.ts';
import { STEP_HELD, toSeconds, WORKFLOW_PAUSED } from '../../domain/entity/conditions.ts';
import { HOLDS } from '../../domain/host/steering/holds.ts';
import { kubectlCommand } from '../../domain/host/steering/kubectl-command.ts';
import { PAUSED_BY_CLUSTER } from '../../domain/machine/names.ts';
import { waitingFor } from '../../domain/metrics/waiting.ts';
import { askedBy } from '../../domain/steering/annotations.ts';
import { isCode } from '../../domain/steering/code.ts';
import { type Asked, inWords } from '../../domain/steering/messages.ts';
import { type FollowedKind, KINDS, kindInApi, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import type { Metadata } from '../../kube/objects/metadata.ts';
import { hostInSight } from '../../kube/objects/sight.ts';
import { endpointsOf, withKube } from '../access.ts';
import { everyObject, type Looking } from '../every-object.ts';
import { DONE, type Out, print } from '../out.ts';
import type { WaitingRequest } from './options.ts';

/** A host or a machine that waits for a person. Plain JSON: this is what `--output json` prints. */
export interface Waiting {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** RFC 3339; absent: the object does not show it. */
  readonly since?: string;
  readonly why: string;
  /** Each of them ends the wait, or says more; the reader replaces `WHY`, and `USER`, the own name in the API server. */
  readonly commands: readonly string[];
}

/** Prints all that waits for a person. Returns the exit code. */
export async function printWaiting({ namespace, output, dir }: WaitingRequest, out: Out): Promise<number> {
  return withKube(endpointsOf(dir), async (kube) => {
    const note = (why: string): void => out.aside(`temper: not looked at: ${why}`);
    const all = await waitingIn({ kube, namespace, note });
    print(out, output, all, waitingLines);
    return DONE;
  });
}

export const waitingLines = (all: readonly Waiting[]): readonly string[] =>
  all.length === 0
    ? ['nothing waits for a person']
    : all.flatMap(({ kind, namespace, name, since, why, commands }) => [
        `${kind} ${namespace}/${name}${since === undefined ? '' : `, since ${since}`}: ${why}`,
        ...commands.map((command) => `  ${command}`),
      ]);

/** Reads each list once, page by page, and nothing else for an object. Those that have waited longest come first. */
export async function waitingIn(looking: Looking): Promise<readonly Waiting[]> {
  const all: Waiting[] = [];
  for await (const object of everyObject(looking, KINDS.host)) all.push(...waitOfHost(object));
  for (const kind of [KINDS.metal3Machine, ...MACHINE_API_MACHINES])
    for await (const object of everyObject(looking, kind)) all.push(...waitOfMachine(kind, object));
  return all.toSorted(byWait);
}

/** The earliest time first; objects that show none come last. */
const byWait = ({ since: a = LATEST }: Waiting, { since: b = LATEST }: Waiting): number =>
  a === b ? 0 : a < b ? -1 : 1;

/** Behind each RFC 3339 time. */
const LATEST = '~';

function waitOfHost(object: unknown): readonly Waiting[] {
  const { metadata, status } = readObject(object);
  if (waitingFor({ metadata, status }) !== 'person') return [];
  const paused = pauseOfRun(status);
  if (paused !== undefined) return [waitOf(KINDS.host, metadata, paused)];
  const held = conditionsOf(status).find(({ type }) => type === STEP_HELD);
  if (held !== undefined && holdsOf(metadata.annotations).length === 0) {
    const code = held.message.split(/[\s,;]+/).find(isCode);
    const wait = { why: held.message, since: held.lastTransitionTime };
    if (code === undefined) return [waitOf(KINDS.host, metadata, { ...wait, answers: [] })];
    const approve = { name: 'approve', code, by: '', reason: 'WHY' } as const;
    return [
      waitOf(KINDS.host, metadata, {
        ...wait,
        // Messages approve only where the installation has components/approvals-by-message.
        first: kubectlCommand(metadata.namespace, metadata, approve),
        answers: ['approve', 'reject'].map((answer) => `${answer} --code ${code}`),
      }),
    ];
  }
  return [waitOf(KINDS.host, metadata, { ...shownWait(object), answers: endOfHolds(metadata) })];
}

/** The wait of an object whose run is paused in Temporal: such a run takes no message. */
function pauseOfRun(objectStatus: Readonly<Record<string, unknown>>): Wait | undefined {
  const paused = conditionsOf(objectStatus).find(({ type, status }) => type === WORKFLOW_PAUSED && status === 'True');
  return paused && { why: paused.message, since: paused.lastTransitionTime, answers: [] };
}

/** What a Metal3Machine or a Machine shows that its controller has given up. */
const givenUp = z.object({
  status: orEmpty({
    failureMessage: lenientText,
    errorMessage: lenientText,
    deprecated: orEmpty({ v1beta1: orEmpty({ failureMessage: lenientText }) }),
  }),
});

function waitOfMachine(kind: FollowedKind, object: unknown): readonly Waiting[] {
  const { metadata, status } = readObject(object);
  const paused = pauseOfRun(status);
  if (paused !== undefined) return [waitOf(kind, metadata, paused)];
  const { failureMessage, errorMessage, deprecated } = givenUp.parse(object).status;
  const failure = failureMessage || errorMessage || deprecated.v1beta1.failureMessage;
  const [held] = holdsOf(metadata.annotations);
  if (held !== undefined)
    return [waitOf(kind, metadata, { why: whyHeld(held), since: '', answers: endOfHolds(metadata) })];
  return failure === '' ? [] : [waitOf(kind, metadata, { why: failure, since: '', answers: [] })];
}

/** The error of the host, who holds it, or its condition Ready. Nothing shows since when an annotation holds it. */
function shownWait(object: unknown): Pick<Wait, 'why' | 'since'> {
  const { annotations, state, errorType, texts, conditions, since } = hostInSight(object, {}, []);
  const [held] = holdsOf(annotations);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const began = since === undefined ? (ready?.since ?? '') : toSeconds(since);
  const said = (words: readonly (string | undefined)[]): string => words.filter(Boolean).join(': ') || state;
  if (errorType !== undefined) return { why: said([errorType, texts[0]?.words]), since: held ? '' : began };
  if (held !== undefined) return { why: whyHeld(held), since: '' };
  return { why: ready?.status === 'True' ? state : said([ready?.reason, ready?.message]), since: began };
}

interface Held extends Asked {
  readonly key: string;
  readonly word: string;
}

/** The annotations that hold a host or a machine, each with the person and the reason. */
const holdsOf = (annotations: Metadata['annotations']): readonly Held[] =>
  Object.entries({ [ANNOTATIONS.paused]: 'paused', [CLUSTER_ANNOTATIONS.paused]: 'paused', ...HOLDS }).flatMap(
    ([key, word]) => {
      const asked = askedBy(annotations, key);
      return asked === undefined ? [] : [{ ...asked, key, word }];
    },
  );

const whyHeld = (held: Held): string => `${held.word}: ${inWords(held)}`;

/** The message that ends each of its holds. None ends the pause of a Cluster. */
const endOfHolds = ({ annotations }: Metadata): readonly string[] => [
  ...new Set(
    holdsOf(annotations)
      .filter(({ key }) => annotations[key] !== PAUSED_BY_CLUSTER)
      .map(({ word }) => (word === 'in quarantine' ? 'release' : 'resume')),
  ),
];

interface Wait {
  readonly why: string;
  /** '' when the object does not show it. */
  readonly since: string;
  /** A command that does the same without a message. */
  readonly first?: string;
  /** Messages to send, with their options. */
  readonly answers: readonly string[];
}

function waitOf(kind: FollowedKind, { namespace, name }: Metadata, { why, since, first, answers }: Wait): Waiting {
  const word = kind === KINDS.host ? 'host' : 'machine';
  return {
    kind: kindInApi(kind),
    namespace,
    name,
    ...(since !== '' && { since }),
    why,
    commands: [
      ...(first === undefined ? [] : [first]),
      ...answers.map((answer) => {
        const [message = '', ...options] = answer.split(' ');
        return [`npx temper ${message} ${word} ${name} -n ${namespace}`, ...options, '--reason WHY'].join(' ');
      }),
      `npx temper explain ${word} ${name} -n ${namespace}`,
    ],
  };
}
