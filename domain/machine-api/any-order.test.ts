import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AT, aHostFact } from '../../test/builders/machine.ts';
import { aMachineOf, CONSUMER, itsNode, PROVIDER_ID, WISH } from '../../test/builders/machine-api.ts';
import type { Shown } from '../entity/view.ts';
import type { HostFacts } from '../machine/choose-host/host-facts.ts';
import { same } from '../same.ts';
import { machineApiEntity } from './entity.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineApiSnapshot, RemediationSeen } from './snapshot.ts';
import type { MachineApiAction, MachineApiAnswer } from './step.ts';

/**
 * A Machine, a host and a Node, whose run may lose its memory between any two steps, and whose snapshots may be late.
 * Activities do what they do in a cluster, and refuse what the Machine does not ask for.
 */
interface World {
  /** False beside a machine controller of others, as in OpenShift. */
  readonly isController: boolean;
  version: number;
  host: HostFacts;
  node: string | undefined;
  nodesMade: number;
  linked: boolean;
  labels: boolean;
  backup: boolean;
  deleted: boolean;
  /** A lifecycle hook delays the deletion. */
  hooked: boolean;
  /** A machine controller of others has drained the Node. */
  drained: boolean;
  /** Its authoritative API is Cluster API. */
  moved: boolean;
  gone: boolean;
  remediation: Pick<RemediationSeen, 'isRequested' | 'isPoweredOff' | 'deadline'>;
  shown: Shown;
}

const EVENTS = [
  'step',
  'step',
  'step and crash',
  'crash',
  'snapshot',
  'late snapshot',
  'host',
  'node',
  'drain',
] as const;
const ONCE = ['delete', 'remediate', 'well'] as const;
const HINDRANCES = ['hook', 'move'] as const;
type Event = (typeof EVENTS)[number] | (typeof ONCE)[number] | (typeof HINDRANCES)[number] | 'settle';

const WELL = { isRequested: false, isPoweredOff: false, deadline: '' };
/** What remains when a remediation is over. */
const KEPT = { off: undefined, labels: true, backup: false, remediation: WELL };
const FREE = aHostFact({ resourceVersion: '1' });
const aWorld = (isController: boolean): World => ({
  isController,
  version: 1,
  host: FREE,
  node: undefined,
  nodesMade: 0,
  linked: false,
  labels: false,
  backup: false,
  deleted: false,
  hooked: false,
  drained: false,
  moved: false,
  gone: false,
  remediation: WELL,
  shown: {},
});

function snapshotOf(world: World): MachineApiSnapshot {
  const { isController, host, node, shown, remediation, backup, deleted, hooked, moved } = world;
  const link = shown.annotations?.['metal3.io/BareMetalHost'] ?? '';
  const isOurs = host.consumer !== undefined || link !== '';
  const ofOthers = world.linked && node !== undefined ? itsNode().name : undefined;
  const nodeRef = isController ? (shown.status?.['nodeRef'] as { readonly name: string } | undefined)?.name : ofOthers;
  const isAny = remediation !== WELL || backup;
  return aMachineOf({
    resourceVersion: String(world.version),
    settings: { isController, fastTrack: false },
    isDrained: isController || world.drained,
    link,
    host: isOurs ? host : undefined,
    hostNews: isOurs ? undefined : { bridge: 'b', count: 0 },
    providerID: shown.spec?.['providerID'] === PROVIDER_ID ? PROVIDER_ID : '',
    node: node && isOurs ? itsNode({ uid: node, providerID: world.linked ? PROVIDER_ID : '' }) : undefined,
    nodeRef,
    remediation: isAny ? { ...remediation, hasBackup: backup, mayReplace: true } : undefined,
    deletionTimestamp: deleted ? '2026-01-02T00:00:00Z' : undefined,
    hooks: hooked ? ['backup'] : [],
    authority: moved ? { api: 'ClusterAPI' } : undefined,
  });
}

function change(world: World, host: Partial<HostFacts>): MachineApiAnswer {
  world.version += 1;
  world.host = { ...world.host, ...host, resourceVersion: String(world.version) };
  return { kind: 'host', host: world.host };
}

const without = <K extends keyof HostFacts>(host: HostFacts, key: K): HostFacts => {
  const { [key]: _, ...rest } = host;
  return rest as HostFacts;
};

/** undefined: refused, because the Machine does not ask for it. */
function perform(world: World, action: MachineApiAction): MachineApiAnswer | undefined {
  const { host, remediation, deleted, moved } = world;
  // A Machine of Cluster API is not changed; its host is only let on.
  if (moved && (action.name !== 'let host on' || action.order.deadline !== undefined)) return undefined;
  switch (action.name) {
    case 'associate':
      if (deleted) return undefined;
      change(world, { consumer: CONSUMER });
      return { kind: 'associated', host: world.host, viaReuse: false };
    case 'look at last host':
      return host.consumer === undefined ? { kind: 'taken', by: null } : { kind: 'host', host };
    case 'fill host':
      return deleted ? undefined : change(world, { hasImage: true, userData: WISH.userData, online: true });
    case 'deprovision host':
      if (!deleted) return undefined;
      expect(world.isController || world.drained, 'deprovisioned before its Node is drained').toBe(true);
      world.host = without(host, 'userData');
      return change(world, { hasImage: false, online: false });
    case 'release host':
      expect([host.state, host.hasImage], 'released while it is in use').toEqual(['available', false]);
      expect(host.keptOff, 'released while it is kept off').toBeUndefined();
      world.host = without(host, 'consumer');
      return change(world, {});
    case 'link node':
      if (world.node === action.order.node.uid) world.linked = true;
      return { kind: 'node' };
    case 'delete node':
      if (!deleted) return undefined;
      expect(world.isController, 'the Node is that of the machine controller').toBe(true);
      if (world.node === action.order.node.uid) world.node = undefined;
      return { kind: 'node' };
    case 'keep host off':
      if (!remediation.isRequested || deleted) return undefined;
      return remediation.isPoweredOff ? change(world, {}) : change(world, { keptOff: true });
    case 'take node away':
      if (!remediation.isRequested || deleted || !host.keptOff || host.poweredOn) return undefined;
      if (world.node !== action.order.node.uid) return { kind: 'done' };
      world.backup = world.backup || world.labels;
      world.node = undefined;
      return { kind: 'done' };
    case 'let host on':
      if (action.order.deadline !== undefined && remediation.isRequested && !deleted) {
        world.remediation = {
          ...remediation,
          isPoweredOff: true,
          deadline: remediation.deadline || action.order.deadline,
        };
      }
      world.host = without(host, 'keptOff');
      return change(world, {});
    case 'return node':
      if (action.order.node !== null && world.node !== action.order.node.uid) return { kind: 'done' };
      if (world.backup && action.order.node !== null) world.labels = true;
      expect(world.backup && action.order.node === null, 'what was stored is lost').toBe(false);
      world.backup = false;
      world.remediation = WELL;
      return { kind: 'done' };
    case 'delete machine':
      throw new Error('deleted although its time is not over');
  }
}

/** What the host's own workflow and the kubelet do next. */
function follow(world: World): void {
  const { host } = world;
  const isOn = host.online && !host.keptOff;
  if (host.hasImage && host.state === 'available') change(world, { state: 'provisioning' });
  else if (host.state === 'provisioning') change(world, { state: 'provisioned', poweredOn: true });
  else if (!host.hasImage && host.state === 'provisioned') change(world, { state: 'deprovisioning' });
  else if (host.state === 'deprovisioning') change(world, { state: 'available', poweredOn: false });
  else if (host.poweredOn !== isOn && host.state === 'provisioned') change(world, { poweredOn: isOn });
}
function register(world: World): void {
  if (world.node !== undefined || world.host.state !== 'provisioned' || !world.host.poweredOn) return;
  world.nodesMade += 1;
  world.node = `node-${world.nodesMade}`;
  world.linked = false;
  // The first one gets labels that nobody else knows.
  world.labels = world.nodesMade === 1;
}

interface Run {
  readonly world: World;
  readonly published: () => Shown | null;
  on(event: Event): void;
  /** Until nothing happens any more. */
  settle(): void;
}

function aRun(isController: boolean): Run {
  const world = aWorld(isController);
  let memory: MachineApiMemory = machineApiEntity.begin(snapshotOf(world));
  let published: Shown | null = null;
  let late: readonly MachineApiSnapshot[] = [];

  const crash = (): void => {
    memory = machineApiEntity.begin(snapshotOf(world));
    late = [];
  };
  const see = (): void => {
    memory = machineApiEntity.absorb(memory, snapshotOf(world));
    late = [];
  };
  const seeLate = (): void => {
    const [oldest, ...rest] = late;
    if (oldest === undefined) return;
    late = rest;
    memory = machineApiEntity.absorb(memory, oldest);
  };
  const publish = (): boolean => {
    const shown = machineApiEntity.show(memory);
    const isNews = !same(shown, published);
    published = shown;
    const { annotations, spec } = world.shown;
    // What a view lacks is not removed from annotations and spec.
    world.shown = {
      ...shown,
      annotations: { ...annotations, ...shown.annotations },
      spec: { ...spec, ...shown.spec },
    };
    return isNews;
  };
  /** True when something was done. */
  const step = (crashes = false): boolean => {
    if (world.gone) return false;
    const next = machineApiEntity.nextStep(memory, { now: AT, shown: published });
    if (next.kind === 'gone') {
      if (!world.deleted) throw new Error('gone without deletion');
      world.gone = true;
      return true;
    }
    if (next.kind !== 'act') return publish();
    const before = memory;
    late = [...late, snapshotOf(world)];
    const answer = perform(world, next.action);
    if (crashes || answer === undefined) crash();
    else memory = machineApiEntity.record(memory, next.action, { kind: 'done', answer }, { now: AT, dice: 0, before });
    publish();
    return true;
  };

  const settle = (): void => {
    for (let round = 0; round < 25; round++) {
      follow(world);
      register(world);
      world.drained ||= world.deleted;
      see();
      let steps = 0;
      while (step()) if (++steps > 50) throw new Error('it does not come to rest');
    }
  };

  return {
    world,
    published: () => published,
    on(event) {
      const { remediation } = world;
      switch (event) {
        case 'step':
        case 'step and crash':
          step(event === 'step and crash');
          return;
        case 'crash':
          return crash();
        case 'snapshot':
          return see();
        case 'late snapshot':
          return seeLate();
        case 'host':
          return follow(world);
        case 'node':
          return register(world);
        case 'drain':
          world.drained ||= world.deleted;
          return;
        case 'settle':
          return settle();
        case 'delete':
          world.deleted = true;
          return;
        case 'hook':
          world.hooked = true;
          return;
        case 'move':
          world.moved = true;
          return;
        case 'remediate':
          world.remediation = { ...remediation, isRequested: true };
          return;
        case 'well':
          if (remediation.isRequested) world.remediation = { ...remediation, isRequested: false };
      }
    },
    settle,
  };
}

const some = fc.array(fc.constantFrom<Event[]>(...EVENTS), { maxLength: 30 });
const once = fc.array(fc.constantFrom<Event[]>(...ONCE), { maxLength: 2 });
const maybeSettled = fc.constantFrom<Event[][]>([], ['settle']);
const plan = fc.tuple(some, maybeSettled, once, some, once, some, maybeSettled, once, some);
const hindered = fc.tuple(
  fc.constant<Event[]>(['settle', 'remediate']),
  some,
  once,
  fc.constantFrom<Event[][]>(...HINDRANCES.map((event) => [event])),
  some,
  once,
  some,
);

describe.each([
  ['with its machine controller here', true],
  ['beside a machine controller of others', false],
])('a Machine %s, in any order of events and crashes', (_, isController) => {
  test('runs as a Node in the end, with all that the Node had; or is gone, and its host is free', () => {
    fc.assert(
      fc.property(plan, (parts) => {
        const run = aRun(isController);
        for (const event of parts.flat()) run.on(event);
        run.settle();
        const { world } = run;
        const end = { gone: world.gone, state: world.host.state, off: world.host.keptOff, taken: world.host.consumer };
        const left = { labels: world.labels, backup: world.backup, remediation: world.remediation };
        const phase = run.published()?.status?.['phase'];
        expect(
          world.deleted ? end : { ...end, ...left, phase, isOn: world.host.poweredOn, linked: world.linked },
        ).toEqual(
          world.deleted
            ? { gone: true, state: 'available', off: undefined, taken: undefined }
            : {
                gone: false,
                state: 'provisioned',
                taken: CONSUMER,
                isOn: true,
                linked: true,
                phase: isController ? 'Running' : undefined,
                ...KEPT,
              },
        );
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  test('does not leave its host off, also while hooks delay its deletion or Cluster API is in charge', () => {
    let unfinished = 0;
    fc.assert(
      fc.property(hindered, (parts) => {
        const run = aRun(isController);
        for (const event of parts.flat()) run.on(event);
        run.settle();
        const { host, gone, deleted, moved } = run.world;
        if (gone) return;
        if (deleted || moved) unfinished += 1;
        expect(host).toMatchObject({ consumer: CONSUMER, state: 'provisioned', poweredOn: true });
        expect(host.keptOff).toBeUndefined();
      }),
      { numRuns: 200, seed: 2 },
    );
    expect(unfinished).toBeGreaterThan(50);
  });
});
