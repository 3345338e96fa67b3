import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import { z } from 'zod';
import { ENTITY_KINDS } from '../../../api/kinds.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { secretCollection } from '../../../kube/paths.ts';
import { entityWorkflowId, view } from '../../../workflows/messages.ts';
import { type Account, accountOf } from '../../differential/cluster-api/account.ts';
import { comparable, withoutEmptyStatus } from '../../differential/cluster-api/compare.ts';
import { asTemper } from '../../differential/cluster-api/known-differences.ts';
import { OWN_SECRETS } from '../../differential/cluster-api/objects.ts';
import { play } from '../../differential/cluster-api/play.ts';
import { readRecordings } from '../../differential/cluster-api/recordings.ts';
import type { Operator, Story } from '../../differential/cluster-api/story.ts';
import { watchStories } from '../../differential/cluster-api/witness.ts';
import type { Entry } from '../../differential/recordings.ts';
import type { SeenObject, Witness } from '../../differential/watch-versions.ts';
import type { TestFixtureLab } from './fixture.ts';
import { withTemporal } from './histories.ts';

/** A story of an operator, and the namespace in which it is played. */
export interface Told {
  readonly operator: Operator;
  readonly story: Story;
  readonly namespace: string;
  /** Its objects are written in their older version. */
  readonly older?: boolean;
}

const MANNER = { quietMs: 1_500, patienceMs: 120_000 };
const AT_ONCE = 20;

/** Plays stories with Temper, many at a time. `kubeconfigOf`: of the cluster whose Nodes a story makes. */
export async function tellStories(
  lab: TestFixtureLab,
  stories: readonly Told[],
  kubeconfigOf: (told: Told) => string = () => lab.endpoints.kubeconfig,
) {
  const { kube } = lab;
  const watch = await watchStories(kube);
  const queue = new PQueue({ concurrency: AT_ONCE });
  const accounts = new Map<string, Promise<Account>>();
  const tell = async (told: Told): Promise<Account> => {
    const { story, namespace, older = false } = told;
    const inWords = (timeline: readonly Entry[]): Account => comparedAs(told, comparable(accountOf(timeline)));
    await createNamespace(kube, namespace);
    for (const name of OWN_SECRETS) {
      const body = { metadata: { name }, stringData: { value: '' } };
      await kube.request({ method: 'POST', path: secretCollection(namespace), body });
    }
    const witness = watch.of(namespace);
    const stage = { kube, kubeconfig: kubeconfigOf(told), namespace, older };
    const ways = waysOf(told);
    const timeline = await play(story, stage, witness, {
      ...MANNER,
      isAtRest: () => hasNothingInHand(lab, witness, namespace),
      isWhole: (so) => ways.some((way) => isStartOf(way, inWords(so))),
    });
    return inWords(timeline);
  };
  for (const told of stories) {
    const account = queue.add(() => tell(told));
    account.catch(() => undefined);
    accounts.set(told.namespace, account);
  }
  return {
    accountOf: ({ namespace }: Told): Promise<Account> | undefined => accounts.get(namespace),
    end: async (): Promise<void> => {
      queue.clear();
      await queue.onIdle();
      await watch.stop();
    },
  };
}

/** The recorded variants of a story, with our intended differences. */
export const waysOf = (told: Told): readonly Account[] =>
  readRecordings(told.operator)
    .recordings.filter(({ story }) => story === told.story.story)
    .map(({ timeline, story }) => comparedAs(told, asTemper(comparable(accountOf(timeline)), told.operator, story)));

/** Upstream's answers are recorded for objects in the version that is stored. */
const comparedAs = ({ older = false }: Pick<Told, 'older'>, account: Account): Account =>
  older ? withoutEmptyStatus(account) : account;

/** The variant that equals ours, or else the first one, to be shown beside ours. */
export const nearest = (ways: readonly Account[], ours: Account): Account | undefined =>
  ways.find((way) => isDeepStrictEqual(way, ours)) ?? ways[0];

const isStartOf = (whole: Account, start: Account): boolean =>
  Object.entries(start.rests).every(([step, objects]) => isDeepStrictEqual(whole.rests[step], objects));

/** True when the workflows of all objects have taken in their newest versions, and wait for something. */
async function hasNothingInHand(lab: TestFixtureLab, witness: Witness, namespace: string): Promise<boolean> {
  const objects = new Map<string, { readonly kind: string; readonly object: SeenObject }>();
  for (const { kind, name, object } of witness.versions()) {
    if (object === undefined) objects.delete(`${kind} ${name}`);
    else if (ENTITY_KINDS.some((each) => each.kind === kind)) objects.set(`${kind} ${name}`, { kind, object });
  }
  const views = await withTemporal(lab, (client) =>
    Promise.all(
      [...objects.values()].map(async ({ kind, object: { metadata } }) => ({
        uid: metadata.uid,
        generation: generation.parse(metadata),
        shown: await client.workflow
          .getHandle(entityWorkflowId(kind, { namespace, name: metadata.name }))
          .query(view)
          .catch(() => undefined),
      })),
    ),
  );
  return views.every(
    ({ uid, generation: now, shown }) =>
      shown === undefined || (shown.uid === uid && shown.generation === now && shown.waitingFor !== ''),
  );
}

const generation = z.looseObject({ generation: z.number() }).transform(({ generation: now }) => now);

async function createNamespace(kube: Kube, name: string): Promise<void> {
  const body = { metadata: { name } };
  await kube.request({ method: 'POST', path: '/api/v1/namespaces', body }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
