import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, NOW } from '../../../test/builders/host.ts';
import { next, said } from '../../../test/builders/step.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import { hostEntity } from '../entity.ts';
import { type HostMemory } from '../memory/memory.ts';
import { begin } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostOutcome } from '../step.ts';

const hints = { deviceName: '/dev/sda' };
const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
const provisioning = { state: 'preparing' as const, ID: aNode().id, rootDeviceHints: hints };

const asking = (change: Parameters<typeof aHost>[0] = {}): HostMemory =>
  aHost({ state: 'preparing', seen: { spec: { raid, rootDeviceHints: hints } }, ...change });

function orderOf(memory: HostMemory): { readonly task: Task; readonly order: PrepareOrder } {
  const step = nextStep(memory, NOW);
  if (step.kind !== 'run' || step.operation.name !== 'prepare') throw new Error(`it should prepare: ${step.kind}`);
  return { task: step.operation, order: step.operation.order };
}

/** The host while it is being prepared. */
const started = (memory: HostMemory): HostMemory => startOf(memory, orderOf(memory).task);

/** Its run begins anew from the BareMetalHost as it shows that memory, and the host is registered. */
function begunAnew(memory: HostMemory, node = aNode()): HostMemory {
  const { seen, hasFinalizer, registration } = memory;
  const status = show(memory).status as unknown as HostMemory['status'];
  return { ...begin({ ...seen, status }), hasFinalizer, registration, node };
}

describe('a preparing host', () => {
  test('becomes available with the root device hints it is to use, without asking Ironic', () => {
    const rootDeviceHints = { serialNumber: 'SN1' };
    const step = nextStep(aHost({ state: 'preparing', seen: { spec: { rootDeviceHints } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      state: 'available',
      memory: { status: { provisioning: { rootDeviceHints }, errorCount: 0 } },
    });
  });

  test('that is to keep the volumes of its controller needs nothing done', () => {
    const recorded = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const step = nextStep(asking({ seen: {}, status: { provisioning: { ...provisioning, raid: recorded } } }), NOW);
    expect(step).toMatchObject({
      kind: 'become',
      memory: { status: { provisioning: { raid: { ...recorded, softwareRAIDVolumes: [] } } } },
    });
  });

  test('waits for cleaning that was begun before it was forgotten, and asks for nothing new', () => {
    const memory = asking({
      node: aNode({ state: 'clean wait' }),
      status: { provisioning: { ...provisioning, raid } },
    });
    expect(orderOf(memory).order).toMatchObject({ unprepared: false, retry: false });
  });

  test('whose volumes can not be built is refused by the operation, not passed over', () => {
    const impossible = { softwareRAIDVolumes: [{ level: '0' as const, rootVolume: false }] };
    expect(next({ state: 'preparing', seen: { spec: { raid: impossible } } })).toBe('run prepare');
  });
});

describe('a preparing host that asks for volumes', () => {
  test('has them built in a child workflow', () => {
    expect(orderOf(asking()).order).toMatchObject({
      targetRaid: raid,
      rootDeviceHints: hints,
      unprepared: true,
      retry: false,
    });
    expect(orderOf(asking()).order).not.toHaveProperty('actualRaid');
  });

  test('shows them from the start, without the former error', () => {
    const memory = started(asking({ status: { errorType: 'preparation error', errorMessage: 'no' } }));
    expect(memory.status).toMatchObject({ operationalStatus: 'OK', provisioning: { raid, rootDeviceHints: hints } });
    expect(memory.status.errorType).toBeUndefined();
  });

  test('is available once they are built, and only then', () => {
    const memory = started(asking());
    const done = record(memory, orderOf(asking()).task, { kind: 'done', node: aNode() }, CHANCE);
    expect(nextStep(done, NOW)).toMatchObject({
      kind: 'become',
      state: 'available',
      memory: { status: { provisioning: { raid }, errorCount: 0 } },
    });
  });

  test('has the preparation in the list of operations with its begin, shown with the next state', () => {
    const { task } = orderOf(asking());
    const memory = hostEntity.start?.(asking(), task, NOW - 60_000) ?? asking();
    const done = record(memory, task, { kind: 'done', node: aNode() }, CHANCE);
    expect(done.events).toEqual([]);
    const began = new Date(NOW - 60_000).toISOString().replace('.000', '');
    expect(nextStep(done, NOW)).toMatchObject({
      state: 'available',
      memory: { events: [{ reason: 'PreparationComplete', onlyListed: true, began }] },
    });
  });

  test('builds again what was changed meanwhile', () => {
    const memory = started(asking());
    const done = record(memory, orderOf(asking()).task, { kind: 'done', node: aNode() }, CHANCE);
    const other = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: true }] };
    const changed = { ...done, seen: { ...done.seen, spec: { ...done.seen.spec, raid: other } } };
    expect(orderOf(changed).order).toMatchObject({ targetRaid: other, actualRaid: raid, unprepared: true });
    expect(orderOf(changed).order).not.toHaveProperty('rootDeviceHints');
  });

  test('forgets hints and volumes in software when it fails, and does all of it again', () => {
    const memory = started(asking());
    const failed = record(memory, orderOf(asking()).task, { kind: 'failed', message: 'no such disk' }, CHANCE);
    expect(failed.status).toMatchObject({
      errorType: 'preparation error',
      errorMessage: 'no such disk',
      errorCount: 1,
    });
    expect(failed.status.provisioning.rootDeviceHints).toBeUndefined();
    expect(failed.status.provisioning.raid).toEqual({});
    expect(orderOf({ ...failed, retry: null }).order).toMatchObject({
      retry: true,
      unprepared: true,
      targetRaid: raid,
    });
    expect(orderOf({ ...failed, retry: null }).order).not.toHaveProperty('actualRaid');
  });

  test.each([raid, { hardwareRAIDVolumes: [{ level: '1' as const }] }])(
    'has them built again when others ended the operation: %o',
    (wanted) => {
      const memory = asking({ seen: { spec: { raid: wanted } } });
      const { task } = orderOf(memory);
      const ending = { ...CHANCE, before: memory };
      const ended = hostEntity.record(started(memory), task, { kind: 'cancelled', byOthers: true }, ending);
      expect(orderOf(ended).order).toMatchObject({ targetRaid: wanted, unprepared: true });
      expect(ended.status).toEqual(memory.status);
    },
  );

  describe.each([raid, { hardwareRAIDVolumes: [{ level: '1' as const }] }])('like %o', (wanted) => {
    const memory = asking({ seen: { spec: { raid: wanted } } });
    const builtAgain = { targetRaid: wanted, unprepared: true, retry: false };

    /** Its run begins anew from its object, as it is while it is being prepared, and it is registered. */
    const forgotten = (node = aNode()): HostMemory => {
      return begunAnew(started(memory), node);
    };

    test('has them built when it is not known whether Ironic was asked before its run was lost', () => {
      expect(orderOf(forgotten()).order).toMatchObject(builtAgain);
      expect(orderOf(forgotten()).order).not.toHaveProperty('actualRaid');
    });

    test('has them built also when others end that operation, too', () => {
      const { task } = orderOf(forgotten());
      const ending = { ...CHANCE, before: forgotten() };
      const ended = hostEntity.record(started(forgotten()), task, { kind: 'cancelled', byOthers: true }, ending);
      expect(orderOf(ended).order).toMatchObject(builtAgain);
    });

    test('has them built also when Ironic cleans at that moment: it may be for an older wish', () => {
      expect(orderOf(forgotten(aNode({ state: 'clean wait' }))).order).toMatchObject(builtAgain);
    });

    test('keeps those that were built long ago when its run begins anew while it passes through', () => {
      const built = { ...provisioning, raid: wanted };
      const passing = asking({ seen: { spec: { raid: wanted } }, status: { provisioning: built } });
      expect(said(nextStep(begunAnew(passing), NOW))).toBe('become available');
    });

    test.each<HostOutcome>([{ kind: 'lost' }, { kind: 'cancelled' }])(
      'keeps those that were built long ago when waiting for a busy node ended as %o',
      (ending) => {
        const built = { ...provisioning, raid: wanted };
        const node = aNode({ state: 'clean wait' });
        const passing = asking({ node, seen: { spec: { raid: wanted } }, status: { provisioning: built } });
        const ended = record(started(passing), orderOf(passing).task, ending, CHANCE);
        const registered = { ...ended, registration: passing.registration, node: aNode() };
        expect(said(nextStep(registered, NOW))).toBe('become available');
      },
    );

    test('has them built when another wish was begun before its run was lost, and is withdrawn', () => {
      const other = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: true }] };
      const built = asking({
        seen: { spec: { raid: other } },
        status: { provisioning: { ...provisioning, raid: wanted } },
      });
      const begun = started(built);
      const lost = begunAnew({ ...begun, seen: { ...begun.seen, spec: { ...begun.seen.spec, raid: wanted } } });
      expect(orderOf(lost).order).toMatchObject(builtAgain);
      expect(orderOf(lost).order).not.toHaveProperty('actualRaid');
    });

    test('is available once they are built, and then has them', () => {
      const known = forgotten();
      const done = record(started(known), orderOf(known).task, { kind: 'done', node: aNode() }, CHANCE);
      const step = nextStep(done, NOW);
      if (step.kind !== 'become') throw new Error('it should become available');
      expect(step.state).toBe('available');
      expect(said(nextStep(step.memory, NOW))).not.toContain('preparing');
    });

    test.each<HostOutcome>([{ kind: 'lost' }, { kind: 'cancelled' }])(
      'has them built after it ended as %o',
      (ending) => {
        const ended = record(started(memory), orderOf(memory).task, ending, CHANCE);
        const registered = { ...ended, registration: memory.registration, node: aNode() };
        expect(orderOf(registered).order).toMatchObject(builtAgain);
      },
    );
  });

  test('does all of it again although its controller’s volumes are still recorded', () => {
    const hardware = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const memory = aHost({
      state: 'preparing',
      seen: { spec: { raid: hardware } },
      status: { errorType: 'preparation error', provisioning: { ...provisioning, raid: hardware } },
    });
    expect(orderOf(memory).order).not.toHaveProperty('actualRaid');
  });

  test('forgets what was built on a node that had to be made again', () => {
    const memory = started(asking());
    const lost = record(memory, orderOf(asking()).task, { kind: 'lost' }, CHANCE);
    const noted = nextStep(lost, NOW);
    const again = noted.kind === 'note' ? nextStep(noted.memory, NOW) : noted;
    if (again.kind !== 'act' || again.action.name !== 'register') throw new Error('it should register');
    const node = aNode({ id: 'another' });
    const registered = record(
      lost,
      again.action,
      { kind: 'done', node, registered: { created: true, credentialsVersion: '90' } },
      CHANCE,
    );
    expect(registered.status.provisioning).toMatchObject({ ID: 'another', raid: {} });
  });
});

describe('a preparing host whose volumes in software are to be deleted', () => {
  const before = { ...provisioning, raid };
  const memory = asking({ seen: { spec: {} }, status: { provisioning: before } });
  const deletes = { targetRaid: { softwareRAIDVolumes: [] }, actualRaid: raid, unprepared: true };
  const { task } = orderOf(memory);

  test('has them deleted, and shows them until they are gone', () => {
    expect(orderOf(memory).order).toMatchObject({ ...deletes, retry: false });
    expect(show(started(memory)).status).toMatchObject({ provisioning: { raid } });
    const done = record(started(memory), task, { kind: 'done', node: aNode() }, CHANCE);
    expect(nextStep(done, NOW)).toMatchObject({
      kind: 'become',
      state: 'available',
      memory: { status: { provisioning: { raid: { softwareRAIDVolumes: [] } } } },
    });
  });

  test('has their deletion repeated when it failed', () => {
    const failed = record(started(memory), task, { kind: 'failed', message: 'a disk is busy' }, CHANCE);
    expect(failed.status).toMatchObject({ errorType: 'preparation error', provisioning: { raid } });
    expect(orderOf({ ...failed, retry: null }).order).toMatchObject({ ...deletes, retry: true });
  });

  test('has it repeated when its run is lost before the end is known', () => {
    expect(orderOf(begunAnew(started(memory))).order).toMatchObject(deletes);
  });

  test.each<HostOutcome>([{ kind: 'lost' }, { kind: 'cancelled' }])(
    'has it repeated after it ended as %o',
    (ending) => {
      const ended = record(started(memory), task, ending, CHANCE);
      const registered = { ...ended, registration: memory.registration, node: aNode() };
      expect(orderOf(registered).order).toMatchObject(deletes);
    },
  );

  test('has it repeated on a node that had to be made again', () => {
    const lost = record(started(memory), task, { kind: 'lost' }, CHANCE);
    const noted = nextStep(lost, NOW);
    const again = noted.kind === 'note' ? nextStep(noted.memory, NOW) : noted;
    if (again.kind !== 'act' || again.action.name !== 'register') throw new Error('it should register');
    const registered = record(
      lost,
      again.action,
      { kind: 'done', node: aNode({ id: 'another' }), registered: { created: true, credentialsVersion: '90' } },
      CHANCE,
    );
    expect(registered.status.provisioning).toMatchObject({ ID: 'another', raid });
  });

  test('never has those of a controller deleted for them', () => {
    const hardware = { hardwareRAIDVolumes: [{ level: '1' as const }] };
    const failing = asking({ seen: { spec: { raid: hardware } }, status: { provisioning: before } });
    const failed = record(started(failing), orderOf(failing).task, { kind: 'failed', message: 'no' }, CHANCE);
    expect(orderOf({ ...failed, retry: null }).order).not.toHaveProperty('actualRaid');
  });
});

describe('an available host', () => {
  test('prepares again when volumes are desired', () => {
    expect(next({ state: 'available', seen: { spec: { raid, rootDeviceHints: hints } } })).toBe('become preparing');
  });

  test('does not prepare again for the volumes it has', () => {
    const status = { provisioning: { ...provisioning, raid } };
    expect(next({ state: 'available', seen: { spec: { raid } }, status })).not.toContain('preparing');
  });
});

test('a host that was deprovisioned keeps the note of its controller’s volumes alone', () => {
  const hardware = [{ level: '1' as const }];
  const memory = aHost({
    state: 'deprovisioning',
    finished: { name: 'deprovision' },
    status: {
      provisioning: {
        ...provisioning,
        raid: { ...raid, hardwareRAIDVolumes: hardware },
        customDeploy: { method: 'x' },
      },
    },
  });
  const step = nextStep(memory, NOW);
  if (step.kind !== 'become') throw new Error('it should become available');
  expect(step.memory.status.provisioning).toEqual({
    state: 'available',
    ID: aNode().id,
    bootMode: 'UEFI',
    image: { url: '' },
    raid: { hardwareRAIDVolumes: hardware },
  });
});
