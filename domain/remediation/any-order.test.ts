import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AT, aRemediation, aSickHost, aSickMachine, OUR_KEY } from '../../test/builders/remediation.ts';
import type { Outcome } from '../entity/entity.ts';
import type { Shown } from '../entity/view.ts';
import { remediationEntity } from './entity.ts';
import type { RemediationMemory } from './memory.ts';
import { powerOffKey } from './names.ts';
import { show } from './show.ts';
import type { RemediationSnapshot } from './snapshot.ts';
import type { RemediationAction, RemediationAnswer } from './step.ts';

/**
 * A host, a Node and a Metal3Remediation, whose run may lose its memory between any two steps, and whose snapshots may
 * be late. Activities do what they do in a cluster, and refuse what the object does not ask for.
 */
interface World {
  now: number;
  version: number;
  held: boolean;
  /** It was kept off when clusterctl moved it: the annotation names a remediation that does not exist any more. */
  stray: boolean;
  poweredOn: boolean;
  online: boolean;
  /** By annotations of a user: off and on again once, and off until the user removes it. */
  userReboots: boolean;
  userKeepsOff: boolean;
  hostExists: boolean;
  belongs: boolean;
  healthy: boolean;
  machineDeleting: boolean;
  nodeThere: boolean;
  backup: boolean;
  status: RemediationSnapshot['status'];
  finalizer: boolean;
  /** RFC 3339. */
  deleted: string | undefined;
  gone: boolean;
  handedOver: boolean;
  /** Attempts in which the host was told to go off, by their beginning. */
  readonly offs: string[];
}

type Event =
  | 'step'
  | 'step and crash'
  | 'refused step'
  | 'crash'
  | 'snapshot'
  | 'late snapshot'
  | 'host follows'
  | 'node returns'
  | 'minute'
  | 'healthy'
  | 'delete'
  | 'delete machine'
  | 'online off'
  | 'user reboots'
  | 'user keeps off'
  | 'user lets on'
  | 'host gone'
  | 'release'
  | 'finalizer removed'
  | 'move';

const STRAY_KEY = powerOffKey('before-a-move');

const snapshotOf = (world: World): RemediationSnapshot => {
  const { version, held, stray, poweredOn, online, belongs } = world;
  const heldBy = [...(held ? [OUR_KEY] : []), ...(stray ? [STRAY_KEY] : [])];
  const host = aSickHost({ resourceVersion: String(version), heldBy, poweredOn, online, belongs });
  return aRemediation({
    hasBackup: world.backup,
    host: world.hostExists ? host : null,
    machine: aSickMachine({
      deleting: world.machineDeleting,
      healthy: world.healthy,
      nodeNews: world.nodeThere ? 'there' : 'lost',
    }),
    ...(world.status && { status: world.status }),
    ...(world.deleted && { deletionTimestamp: world.deleted }),
  });
};

const isAsked = ({ status }: World, order: { readonly retryCount: number; readonly lastRemediated: string }): boolean =>
  status?.lastRemediated === order.lastRemediated && (status.retryCount ?? 0) === order.retryCount;

const hostNow = (world: World): RemediationAnswer => ({ kind: 'host', host: snapshotOf(world).host ?? null });

/** undefined: the object does not ask for it. */
function perform(world: World, action: RemediationAction): RemediationAnswer | undefined {
  world.version += 1;
  switch (action.name) {
    case 'power off':
      if (world.status?.phase !== 'Running' || !isAsked(world, action.order) || world.deleted) return undefined;
      if (world.hostExists && !world.held) {
        world.held = true;
        world.offs.push(action.order.lastRemediated);
      }
      return hostNow(world);
    case 'power on':
      expect([OUR_KEY, STRAY_KEY], 'annotations of others are removed').toEqual(
        expect.arrayContaining([...action.keys]),
      );
      if (action.keys.includes(OUR_KEY)) world.held = false;
      if (action.keys.includes(STRAY_KEY)) world.stray = false;
      return hostNow(world);
    case 'free node':
      if (world.status?.phase !== 'Running' || !isAsked(world, action.order)) return undefined;
      if (!world.held || world.poweredOn) return undefined;
      world.backup = world.backup || world.nodeThere;
      world.nodeThere = false;
      // Cluster API calls no Machine healthy whose Node is gone.
      world.healthy = false;
      return { kind: 'node', node: 'freed' };
    case 'await drain':
      return { kind: 'node', node: 'freed' };
    case 'return node':
      if (world.nodeThere) world.backup = false;
      return { kind: 'node', node: world.nodeThere ? 'returned' : 'absent' };
    case 'hand over':
      if (!isAsked(world, action.order) || world.deleted) return undefined;
      expect(world.held, 'handed over while the host is kept off').toBe(false);
      world.handedOver = true;
      return { kind: 'handed over' };
  }
}

/** A run with the memory, and what it has published. */
interface Run {
  memory: RemediationMemory;
  shown: Shown | null;
  late: RemediationSnapshot;
}

const begun = (world: World): Run => {
  const seen = snapshotOf(world);
  return { memory: remediationEntity.begin(seen), shown: null, late: seen };
};

const publish = (run: Run, world: World): void => {
  run.shown = show(run.memory);
  if (run.shown.status !== undefined) world.status = run.shown.status as NonNullable<World['status']>;
  if (run.shown.finalizer) world.finalizer = true;
};

const recorded = (run: Run, world: World, action: RemediationAction, outcome: Outcome<RemediationAnswer>): void => {
  run.memory = remediationEntity.record(run.memory, action, outcome, { now: world.now, dice: 0, before: run.memory });
};

/** The run of a Metal3Remediation that vanished ends after its last action. */
function vanish(run: Run, world: World): void {
  world.deleted ??= new Date(world.now).toISOString();
  for (let count = 0; ; count++) {
    if (count > 5) throw new Error('the run never ends');
    const last = remediationEntity.afterVanishing?.(run.memory);
    const answer = last && perform(world, last);
    if (last === undefined || answer === undefined) break;
    recorded(run, world, last, { kind: 'done', answer });
  }
  world.gone = true;
}

/** Returns false when the run waits. */
function step(run: Run, world: World, fate: 'performed' | 'crashes' | 'refused' = 'performed'): boolean {
  const next = remediationEntity.nextStep(run.memory, { now: world.now, shown: run.shown });
  const details = [remediationEntity.detailsOf(run.memory, ''), remediationEntity.nextInWords?.(run.memory, world.now)];
  expect(details.join('\n'), 'details of the run').toMatch(/^((?!undefined|null|NaN)[^])+$/);
  switch (next.kind) {
    case 'wait':
      publish(run, world);
      return false;
    case 'show':
      publish(run, world);
      return true;
    case 'become':
      if ((run.shown?.state ?? '') !== (show(run.memory).state ?? '')) publish(run, world);
      run.memory = next.memory;
      return true;
    case 'note':
      run.memory = next.memory;
      return true;
    case 'gone':
      world.gone = true;
      return false;
    case 'act': {
      if (fate === 'refused') {
        recorded(run, world, next.action, { kind: 'failed', message: 'no' });
        return true;
      }
      const answer = perform(world, next.action);
      if (answer === undefined || fate === 'crashes') Object.assign(run, begun(world));
      else recorded(run, world, next.action, { kind: 'done', answer });
      return true;
    }
  }
}

function happen(event: Event, run: Run, world: World): void {
  world.version += 1;
  switch (event) {
    case 'step':
      step(run, world);
      return;
    case 'step and crash':
      step(run, world, 'crashes');
      return;
    case 'refused step':
      step(run, world, 'refused');
      return;
    case 'crash':
      Object.assign(run, begun(world));
      return;
    case 'snapshot':
      run.late = snapshotOf(world);
      run.memory = remediationEntity.absorb(run.memory, run.late);
      return;
    case 'late snapshot':
      run.memory = remediationEntity.absorb(run.memory, run.late);
      run.late = snapshotOf(world);
      return;
    case 'host follows': {
      const reboots = world.userReboots && world.poweredOn;
      world.userReboots = false;
      world.poweredOn = !reboots && world.online && !world.held && !world.stray && !world.userKeepsOff;
      return;
    }
    case 'node returns':
      world.nodeThere = world.nodeThere || world.poweredOn;
      return;
    case 'minute':
      world.now += 60_000;
      return;
    case 'healthy':
      world.healthy = world.poweredOn && world.nodeThere;
      return;
    case 'delete':
      world.deleted ??= new Date(world.now).toISOString();
      return;
    case 'delete machine':
      world.machineDeleting = true;
      return;
    case 'online off':
      world.online = false;
      return;
    case 'user reboots':
      world.userReboots = true;
      return;
    case 'user keeps off':
      world.userKeepsOff = true;
      return;
    case 'user lets on':
      world.userKeepsOff = false;
      return;
    case 'host gone':
      world.hostExists = false;
      world.held = false;
      world.stray = false;
      return;
    case 'release':
      world.belongs = false;
      // The activity that releases the host removes the annotations of all remediations.
      world.stray = false;
      return;
    case 'finalizer removed':
      vanish(run, world);
      return;
    case 'move':
      // By clusterctl, which leaves status and conditions behind. The Metal3Remediation has a new uid.
      world.stray = world.stray || world.held;
      world.held = false;
      world.status = undefined;
      world.finalizer = false;
      world.handedOver = false;
      world.deleted = undefined;
      world.offs.length = 0;
      Object.assign(run, begun(world));
  }
}

const often: readonly Event[] = ['step', 'step', 'step', 'step', 'snapshot', 'snapshot', 'host follows'];
const sometimes: readonly Event[] = [
  'step and crash',
  'crash',
  'late snapshot',
  'node returns',
  'minute',
  'healthy',
  'user reboots',
  'user lets on',
];
const seldom: readonly Event[] = [
  'refused step',
  'delete',
  'delete machine',
  'online off',
  'user keeps off',
  'host gone',
  'release',
  'finalizer removed',
  'move',
];
const events = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...often) },
    { weight: 6, arbitrary: fc.constantFrom(...sometimes) },
    { weight: 1, arbitrary: fc.constantFrom(...seldom) },
  ),
  { maxLength: 120, size: 'max' },
);

function play(story: readonly Event[]): { readonly world: World; readonly run: Run } {
  const world: World = {
    now: AT,
    version: 100,
    held: false,
    stray: false,
    poweredOn: true,
    online: true,
    userReboots: false,
    userKeepsOff: false,
    hostExists: true,
    belongs: true,
    healthy: false,
    machineDeleting: false,
    nodeThere: true,
    backup: false,
    status: undefined,
    finalizer: false,
    deleted: undefined,
    gone: false,
    handedOver: false,
    offs: [],
  };
  const run = begun(world);
  for (const event of story) if (!world.gone) happen(event, run, world);
  return { world, run };
}

/** Everything that is under way comes to its end. */
function settle(world: World, run: Run, round: readonly Event[] = ['host follows', 'snapshot', 'minute']): void {
  for (let count = 0; count < 20; count++) {
    for (const event of round) if (!world.gone) happen(event, run, world);
    for (let steps = 0; !world.gone && step(run, world); steps++) {
      if (steps > 100) throw new Error(`the run never waits: ${JSON.stringify(run.memory)}`);
    }
  }
}

describe('in any order of events and crashes', () => {
  test('a host that was powered off is asked to be on again or left to Cluster API, and never both', () => {
    const ends = new Map<string, number>();
    fc.assert(
      fc.property(events, (story) => {
        const { world, run } = play(story);
        settle(world, run);
        const end = world.gone ? 'gone' : (world.status?.phase ?? 'not begun');
        ends.set(end, (ends.get(end) ?? 0) + 1);
        expect([world.held, world.stray]).toEqual([false, false]);
        const isOver = world.gone || world.machineDeleting;
        expect(isOver ? world.handedOver : world.status?.phase === 'Deleting machine').toBe(world.handedOver);
      }),
      { numRuns: 400, seed: 20261124 },
    );
    expect([...ends.keys()].toSorted()).toEqual(
      expect.arrayContaining(['Deleting machine', 'Failed', 'Waiting', 'gone']),
    );
  });

  test('each attempt powers the host off once, and there are no more attempts than the strategy allows', () => {
    fc.assert(
      fc.property(events, (story) => {
        const { world, run } = play(story);
        settle(world, run);
        expect(world.offs).toEqual([...new Set(world.offs)]);
        expect(world.offs.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 400, seed: 20261125 },
    );
  });

  test('a Node that was deleted gets back what it had once it returns', () => {
    let returned = 0;
    fc.assert(
      fc.property(events, (story) => {
        const { world, run } = play(story.filter((event) => !seldom.includes(event) || event === 'delete'));
        // A deleted remediation waits for its timeout at most.
        const deletedAt = Date.parse(world.deleted ?? '');
        const isOver = world.gone || world.handedOver || world.now >= deletedAt + 100_000;
        const had = world.backup;
        settle(world, run, ['host follows', 'node returns', 'snapshot']);
        if (isOver || world.handedOver) return;
        if (had) returned += 1;
        expect(world.backup).toBe(false);
      }),
      { numRuns: 400, seed: 20261126 },
    );
    expect(returned).toBeGreaterThan(0);
  });
});
