import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { messageOf } from '../../domain/message-of.ts';
import type { TestLab } from '../e2e/support/lab.ts';
import { silentAccounts } from './ends/accounts.ts';
import { createRestores } from './ends/restores.ts';
import { CLOCK_FAULTS } from './faults/clock-ahead.ts';
import { connectionFaults } from './faults/connections.ts';
import { cutOffWorker } from './faults/cut-off-worker.ts';
import { DATABASE_FAULTS } from './faults/databases.ts';
import type { Fault } from './faults/fault.ts';
import { flippedWishes } from './faults/flipped-wishes.ts';
import { foreignPages } from './faults/foreign-pages.ts';
import { ironicDatabaseFaults } from './faults/ironic-database.ts';
import { killedMidway } from './faults/killed-midway.ts';
import { lockedNodes } from './faults/locked-nodes.ts';
import { lostAnswers } from './faults/lost-answers.ts';
import { processFaults } from './faults/processes.ts';
import { follow } from './happenings.ts';
import { FOR_MACHINES, isOnIronic, type Roles, rolesOf } from './hosts.ts';
import { askedWhenItLeft } from './invariants/asked-when-it-left.ts';
import { claimedOnce } from './invariants/claimed-once.ts';
import { deployedOnce } from './invariants/deployed-once.ts';
import { erasedAsWished } from './invariants/erased-as-wished.ts';
import type { Journal } from './journal.ts';
import type { ChaosLab, On } from './lab.ts';
import { createPeople, type People } from './people.ts';
import { type Random, randomOf } from './random.ts';
import { settle } from './settle.ts';

export interface Order {
  readonly on: On;
  readonly seed: number;
  readonly faults: number;
  readonly hosts: number;
  /** Only faults whose name has one of these texts, which commas separate. */
  readonly only: string;
}

export interface Figures {
  readonly faults: number;
  readonly kinds: number;
  readonly wishes: number;
  readonly deployments: number;
  readonly erasures: number;
  readonly minutes: number;
}

/** After this number of faults, everything must settle before there are more. */
const SETTLE_EVERY = 25;
const PAUSE_MS = { fault: 4_000, person: 1_500 } as const;

/**
 * Does faults while people change their minds; throws when an invariant is broken, or when something does not settle.
 */
export async function campaign({ lab, ground, battered }: ChaosLab, order: Order, journal: Journal): Promise<Figures> {
  const begun = Date.now();
  const random = randomOf(`${order.seed}`);
  const roles = rolesOf(order.hosts);
  const people = createPeople(lab, ground, roles, journal);
  const happenings = follow(lab.dir, journal);
  const restores = createRestores(order.on);
  const invariants = [deployedOnce(), erasedAsWished(), askedWhenItLeft(), claimedOnce()];
  const counts = { deploy: 0, erase: 0 };
  const kinds = new Set<string>();

  const check = async (): Promise<void> => {
    const wrong: string[] = [];
    for (const happening of await happenings.more()) {
      restores.take(happening);
      if (happening.kind === 'told') counts[happening.told.request] += 1;
      for (const one of invariants) wrong.push(...one.take(happening).map((what) => `${one.name}: ${what}`));
    }
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  };
  const allSettled = async (): Promise<void> => {
    await settle(lab, journal, restores);
    await check();
  };

  await populate(people, roles);
  await allSettled();
  const faults: readonly Fault[] = [
    ...processFaults(battered),
    ...connectionFaults(battered),
    ...DATABASE_FAULTS,
    ...CLOCK_FAULTS,
    flippedWishes(lab, people),
    ...(isOnIronic(lab) ? ironicFaults(lab) : []),
  ].filter(({ name }) => order.only.split(',').some((text) => name.includes(text)));
  let number = 0;
  try {
    while (number < order.faults) {
      const crowd = begin(people, random.fork(`people ${number}`));
      const last = Math.min(number + SETTLE_EVERY, order.faults);
      while (number < last) {
        number += 1;
        const drawn = random.fork(`fault ${number}`);
        const fault = drawn.pick(faults);
        kinds.add(fault.name);
        journal.note({ kind: 'fault', number, name: fault.name, detail: 'begins' });
        const detail = await fault.do(battered, drawn);
        journal.note({ kind: 'fault', number, name: fault.name, detail });
        await check();
        await sleep(drawn.between(0, PAUSE_MS.fault));
      }
      await crowd.end();
      await allSettled();
    }
    const silent = await silentAccounts(lab.dir);
    if (silent.length > 0) throw new Error(`not used: ${silent.join(', ')}`);
  } catch (error) {
    throw new Error(`seed ${order.seed}, by fault ${number}: ${messageOf(error)}`, { cause: error });
  }
  const wishes = journal.entries.filter(({ kind }) => kind === 'wish').length;
  const minutes = Math.round((Date.now() - begun) / 6_000) / 10;
  return { faults: number, kinds: kinds.size, wishes, deployments: counts.deploy, erasures: counts.erase, minutes };
}

const ironicFaults = (lab: TestLab): readonly Fault[] => [
  ...ironicDatabaseFaults(lab),
  lostAnswers(lab),
  lockedNodes(lab),
  ...foreignPages(lab),
  cutOffWorker(lab),
  killedMidway(lab),
];

/** Hosts in all states: half of those that people use have an image, and machines claim half of the others. */
async function populate(people: People, { peoples, machines, resting }: Roles): Promise<void> {
  const queue = new PQueue({ concurrency: 5 });
  await queue.addAll([
    ...peoples.map((index) => async () => {
      await people.createHost(index);
      if (index % 2 === 0) await people.changeImage(index);
    }),
    ...machines.map((index) => () => people.createHost(index, { labels: FOR_MACHINES })),
    ...resting.map(
      ({ index, wish }) =>
        () =>
          people.createHost(index, wish),
    ),
    ...machines.filter((index) => index % 2 === 0).map(() => () => people.createMachine()),
  ]);
}

/** Lets one person after the other do something, until it is ended. */
function begin(people: People, random: Random): { end(): Promise<void> } {
  let isEnding = false;
  const run = (async () => {
    while (!isEnding) {
      await people.act(random);
      await sleep(random.between(0, PAUSE_MS.person));
    }
  })();
  // Reported by `end`.
  run.catch(() => undefined);
  return {
    end: () => {
      isEnding = true;
      return run;
    },
  };
}
