import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { messageOf } from '../../domain/message-of.ts';
import { isAlreadyExists, isNotFound, KubeError } from '../../kube/client.ts';
import { collectionPath, hostPath } from '../../kube/paths.ts';
import { editHost, NAMESPACE } from '../e2e/support/hosts.ts';
import { aMachine, remove } from '../e2e/support/machines.ts';
import { objectsNow } from './ends/objects.ts';
import { type AnyTestLab, FOR_MACHINES, type Ground, type HostWish, hostName, indexOf, type Roles } from './hosts.ts';
import type { Journal, Wish } from './journal.ts';
import type { Random } from './random.ts';

const CLUSTER = 'cluster';
const AGAIN_MS = 500;

/** People who change hosts and machines. Each wish is noted before it is sent, and sent until it is answered. */
export interface People {
  createHost(index: number, wish?: HostWish): Promise<void>;
  changeImage(index: number): Promise<void>;
  createMachine(): Promise<void>;
  /** One thing that a person might do; one after the other. */
  act(random: Random): Promise<void>;
  /**
   * Removes the images of all hosts that are provisioned for people, and puts the same ones back after the pause;
   * nobody does anything else meanwhile. Returns how many.
   */
  flip(pause: () => Promise<void>): Promise<number>;
}

export function createPeople(lab: AnyTestLab, ground: Ground, roles: Roles, journal: Journal): People {
  const machines: string[] = [];
  let made = 0;
  let images = 0;
  const newImage = (): string => {
    images += 1;
    return `image-${images}`;
  };
  const hosts = collectionPath({ apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' }, NAMESPACE);
  const secrets = collectionPath({ apiVersion: 'v1', plural: 'secrets' }, NAMESPACE);

  const insist = async (wish: Wish, send: () => Promise<unknown>): Promise<void> => {
    journal.note({ kind: 'wish', wish });
    for (;;) {
      const answer = await send().then(
        () => 'done',
        (error: unknown) => final(error),
      );
      if (answer !== undefined) return journal.note({ kind: 'answer', wish, answer });
      await sleep(AGAIN_MS);
    }
  };
  const create = (path: string, body: object): Promise<unknown> =>
    lab.kube.request({ method: 'POST', path, body }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });

  const createHost = (index: number, wish: HostWish = {}): Promise<void> => {
    const spec = wish.spec ?? {};
    const image = spec.image?.url;
    const noted = { name: 'create host', host: hostName(index), spec, ...(image !== undefined && { image }) } as const;
    return insist(noted, async () => {
      for (const manifest of ground.manifests(index, wish))
        await create(manifest.kind === 'Secret' ? secrets : hosts, manifest);
    });
  };
  const changeHost = (index: number, spec: object, image?: string): Promise<void> => {
    const noted = { name: 'change host', host: hostName(index), spec, ...(image !== undefined && { image }) } as const;
    return insist(noted, () => editHost(lab, hostName(index), spec));
  };
  const changeImage = (index: number): Promise<void> => {
    const image = ground.image(newImage());
    return changeHost(index, { image }, image.url);
  };
  const deleteHost = (index: number): Promise<void> =>
    insist({ name: 'delete host', host: hostName(index) }, () =>
      lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: hostName(index) }) }),
    );
  const createMachine = (): Promise<void> => {
    made += 1;
    const machine = `machine-${made}`;
    machines.push(machine);
    const image = ground.image(newImage());
    const spec = { image, hostSelector: { matchLabels: FOR_MACHINES } };
    return insist({ name: 'create machine', machine, image: image.url }, () =>
      aMachine(lab, CLUSTER, machine, { spec }),
    );
  };
  /** Deletes a Machine as Cluster API does. */
  const deleteMachine = async (random: Random): Promise<void> => {
    if (machines.length === 0) return;
    const [machine = ''] = machines.splice(random.between(0, machines.length - 1), 1);
    await insist({ name: 'delete machine', machine }, async () => {
      for (const kind of ['metal3Machine', 'machine'] as const) await gone(remove(lab, kind, machine));
      await gone(lab.kube.request({ method: 'DELETE', path: `${secrets}/${machine}-boot` }));
    });
  };

  const withHost = (random: Random): number => random.pick(roles.peoples);
  const acts: readonly ((random: Random) => Promise<void>)[] = [
    (random) => changeImage(withHost(random)),
    (random) => changeImage(withHost(random)),
    (random) => changeHost(withHost(random), { image: null }),
    (random) => changeHost(withHost(random), { online: random.pick([true, false]) }),
    (random) => deleteHost(withHost(random)),
    (random) => createHost(withHost(random)),
    (random) => createHost(withHost(random)),
    // There may be more machines than hosts: some machines wait.
    (random) => (machines.length > roles.machines.length ? deleteMachine(random) : createMachine()),
    (random) => (machines.length > roles.machines.length ? deleteMachine(random) : createMachine()),
    deleteMachine,
  ];
  const flip = async (pause: () => Promise<void>): Promise<number> => {
    const { hosts: present } = await objectsNow(lab);
    const flipped = present.flatMap(({ metadata, spec: { image }, status }) => {
      const index = indexOf(metadata.name);
      const isOurs = roles.peoples.includes(index) && metadata.deletionTimestamp === undefined;
      return isOurs && image !== undefined && status.provisioning.state === 'provisioned' ? [{ index, image }] : [];
    });
    await Promise.all(flipped.map(({ index }) => changeHost(index, { image: null })));
    await pause();
    await Promise.all(flipped.map(({ index, image }) => changeHost(index, { image }, image.url)));
    return flipped.length;
  };
  const turns = new PQueue({ concurrency: 1 });
  return {
    createHost,
    changeImage,
    createMachine,
    act: (random) => turns.add(() => random.pick(acts)(random)),
    flip: (pause) => turns.add(() => flip(pause)),
  };
}

async function gone(deletion: Promise<unknown>): Promise<void> {
  await deletion.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** The answer, unless the wish should be sent again. */
function final(error: unknown): string | undefined {
  if (isAlreadyExists(error)) return 'exists already';
  if (isNotFound(error)) return 'is not there';
  if (error instanceof KubeError && (error.status === 0 || error.status >= 500 || error.status === 429))
    return undefined;
  if (error instanceof KubeError && (error.status === 403 || error.status === 401)) return undefined;
  return `refused: ${messageOf(error)}`;
}
