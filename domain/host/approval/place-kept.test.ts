import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import { aHost, aNode, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import type { AskForPlaceOrder } from '../../ironic/orders.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import type { HostOutcome, HostStep } from '../step.ts';
import { withPlaceAnswered } from './place-answered.ts';

const BUDGET = { 'temper/approval-budget': '1' };
const TICKET = 'uid-1/mine';
const ANEW = 'uid-1/anew';
const SOFTWARE_RAID = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };

const aHostToDeploy = (spec: Partial<BareMetalHostSpec> = {}): HostMemory =>
  aHost({
    state: 'available',
    status: { provisioning: { state: 'available', ID: aNode().id, ...(spec.raid && { raid: spec.raid }) } },
    seen: { annotations: BUDGET, spec: { online: true, image: IMAGE, ...spec } },
  });

type Outcomes = Readonly<Record<string, HostOutcome>>;
const OUTCOMES: Outcomes = {
  provision: { kind: 'failed', message: 'the image is broken', node: aNode({ state: 'deploy failed' }) },
  deprovision: { kind: 'done', node: aNode({ state: 'available' }) },
  power: { kind: 'done', node: aNode({ state: 'available', poweredOn: true }) },
};

const DEPLOYS: Outcomes = {
  ...OUTCOMES,
  provision: { kind: 'done', node: aNode({ state: 'active', poweredOn: true }) },
};

/**
 * Plays a host forward, whose deployments all fail unless said otherwise, until it waits for a change or is gone; with
 * its steps.
 */
function playedUntilRest(
  start: HostMemory,
  outcomes = OUTCOMES,
  { onAsked }: { readonly onAsked?: (order: AskForPlaceOrder) => unknown } = {},
): { readonly memory: HostMemory; readonly steps: readonly string[] } {
  const steps: string[] = [];
  let [memory, now] = [start, NOW];
  for (let count = 0; count < 1_000; count++) {
    const step = nextStep(memory, now);
    if (step.kind === 'gone' || (step.kind === 'wait' && step.until === undefined)) return { memory, steps };
    if (step.kind !== 'wait' && step.kind !== 'note') steps.push(said(step));
    if (step.kind === 'act' && step.action.name === 'ask for place') onAsked?.(step.action.order);
    [memory, now] = [after(memory, step, now, outcomes), step.kind === 'wait' ? (step.until ?? now) : now];
  }
  throw new Error(`the host does not come to rest: ${steps.slice(-10).join(', ')}`);
}

function after(memory: HostMemory, step: HostStep, now: number, outcomes: Outcomes): HostMemory {
  switch (step.kind) {
    case 'note':
    case 'become':
      return step.memory;
    case 'run':
      return ended(memory, step.operation, now, outcomes);
    case 'act': {
      const { action } = step;
      if (action.name !== 'ask for place') return ended(memory, action, now, outcomes);
      const ticket = action.order.ticket || (memory.place === undefined ? TICKET : ANEW);
      const asking = startOf(memory, { ...action, order: { ...action.order, ticket } });
      return withPlaceAnswered(asking, { lock: 'budgets', kind: 'granted', ticket });
    }
    case 'wait':
    case 'show':
    case 'gone':
      return memory;
  }
}

const ended = (memory: HostMemory, task: Task, now: number, outcomes: Outcomes): HostMemory =>
  record(startOf(memory, task), task, outcomes[task.name] ?? { kind: 'done' }, { now, dice: 0 });

const withSpec = (memory: HostMemory, spec: Partial<BareMetalHostSpec>): HostMemory => ({
  ...memory,
  seen: { ...memory.seen, spec: { ...memory.seen.spec, ...spec } },
});
const settled = (memory: HostMemory): HostStep => {
  const step = nextStep(memory, NOW);
  return step.kind === 'note' ? settled(step.memory) : step;
};

describe('the place of a host whose deployment fails again and again', () => {
  test.each([
    ['without volumes', {}, 0],
    ['with volumes that are built before each attempt', { raid: SOFTWARE_RAID }, 4],
  ])('is kept through all attempts, and after the image was given up: %s', (_, spec, preparations) => {
    const { memory, steps } = playedUntilRest(aHostToDeploy(spec));
    expect(memory.status).toMatchObject({ provisioningFailCount: 5, provisioning: { state: 'available' } });
    expect(steps.filter((step) => step === 'run provision')).toHaveLength(5);
    expect(steps.filter((step) => step === 'run prepare').length).toBeGreaterThanOrEqual(preparations);
    expect(steps.filter((step) => step === 'ask for place')).toEqual(['ask for place']);
    expect(steps).not.toContain('return place');
    expect(memory.place).toMatchObject({ state: 'granted', ticket: TICKET });
  });

  const { memory: failed } = playedUntilRest(aHostToDeploy());

  test('is used again for the attempts that a person allows', () => {
    const retried = { ...failed.seen, annotations: { ...BUDGET, 'temper/retry': 'mended' } };
    expect(said(settled({ ...failed, seen: retried }))).toBe('become provisioning');
  });

  test('is kept while the host is in quarantine or inspected again', () => {
    const parked = { ...failed.seen, annotations: { ...BUDGET, 'temper/quarantine': 'loud' } };
    expect(said(settled({ ...failed, seen: parked }))).toBe('wait');
    const asked = { ...failed.seen, annotations: { ...BUDGET, 'inspect.metal3.io': '' } };
    const inspecting = settled({ ...failed, seen: asked, retry: null });
    expect(said(inspecting)).toBe('become inspecting');
    expect(inspecting.kind === 'become' && said(settled(inspecting.memory))).toBe('run inspect');
  });

  test('is returned when the host no longer asks for this image, is to be off, or is deleted', () => {
    const another = { ...IMAGE, url: 'http://images/b.raw' };
    for (const changed of [
      withSpec(failed, { image: another }),
      withSpec(failed, { image: undefined }),
      withSpec(failed, { online: false }),
      { ...failed, seen: { ...failed.seen, deletionTimestamp: '2026-01-01T00:00:00Z' } },
    ])
      expect(playedUntilRest({ ...changed, retry: null }).steps.find((step) => step !== 'power')).toBe('return place');
  });

  test('is kept by its next run, which knows of no place and is told of it', () => {
    const { place: _, ...rest } = failed;
    const next = withPlaceAnswered(rest, { lock: 'budgets', kind: 'granted', ticket: 'uid-1/found' });
    expect(said(settled(next))).toBe('wait');
    const retried = { ...next.seen, annotations: { ...BUDGET, 'temper/retry': 'mended' } };
    const { memory, steps } = playedUntilRest({ ...next, seen: retried });
    expect(steps.filter((step) => step.endsWith('place'))).toEqual(['ask for place']);
    expect(memory.place).toMatchObject({ state: 'granted', ticket: ANEW });
  });

  /** Its next run between two attempts, which does not know its place. */
  const forgetful = (annotations: Record<string, string> = BUDGET): HostMemory => {
    const { place: _, ...rest } = failed;
    const status = { ...failed.status, provisioningFailCount: 2 };
    return { ...rest, status, retry: null, seen: { ...failed.seen, annotations } };
  };
  const told = (memory: HostMemory): HostMemory =>
    withPlaceAnswered(memory, { lock: 'budgets', kind: 'granted', ticket: 'uid-1/found' });

  test.each([
    ['is told of it', told],
    ['is not told of it yet', (memory: HostMemory) => memory],
  ])('is no place in the budgets that its next run finds, which asks and waits for the answer: it %s', (_, begun) => {
    const memory = begun(forgetful({ 'temper/approval-budget': '1; erase: 1' }));
    const asking = settled(memory);
    if (asking.kind !== 'act' || asking.action.name !== 'ask for place') throw new Error('it should ask');
    const { order } = asking.action;
    expect(order).toMatchObject({ ticket: '', underway: false, isForgotten: true, needs: [{}, {}] });
    const anew = startOf(memory, { ...asking.action, order: { ...order, ticket: ANEW } });
    expect(said(settled(anew))).toBe('wait');
    expect(said(settled(withPlaceAnswered(anew, { lock: 'budgets', kind: 'granted', ticket: ANEW })))).toBe(
      'become provisioning',
    );
  });
});

describe('the place of a host whose image is replaced by another one', () => {
  const NEXT = { ...IMAGE, url: 'http://images/b.raw' };
  const aHostToReplace = (spec: Partial<BareMetalHostSpec> = {}): HostMemory =>
    aHost({
      state: 'provisioned',
      node: aNode({ state: 'active', poweredOn: true }),
      status: { poweredOn: true, provisioning: provisionedWith(IMAGE.url) },
      seen: { annotations: BUDGET, spec: { online: true, image: NEXT, ...spec } },
    });

  test.each([
    ['without volumes', {}],
    ['with volumes that are built for it', { raid: SOFTWARE_RAID }],
  ])('is that of its next deployment too, because its server is out of use meanwhile: %s', (_, spec) => {
    const { memory, steps } = playedUntilRest(aHostToReplace(spec), DEPLOYS);
    expect(memory.status.provisioning).toMatchObject({ state: 'provisioned', image: NEXT });
    expect(steps).toEqual(expect.arrayContaining(['run deprovision', 'run provision']));
    const [first, ...more] = steps.filter((step) => step === 'return place' || step.startsWith('run provision'));
    expect([first, more]).toEqual(['run provision', ['return place']]);
  });

  test.each([
    ['without volumes', {}],
    ['with volumes that are built for it', { raid: SOFTWARE_RAID }],
  ])('is no place in another budget, which its next deployment needs: it waits for its turn there: %s', (_, spec) => {
    const replaced = aHostToReplace({ automatedCleaningMode: 'disabled', ...spec });
    const annotations = { 'temper/approval-budget': 'power-off: 5; erase: 1' };
    const orders: unknown[] = [];
    const { memory, steps } = playedUntilRest({ ...replaced, seen: { ...replaced.seen, annotations } }, DEPLOYS, {
      onAsked: ({ ticket, needs, underway }) => orders.push([ticket, needs.map(({ limit }) => limit), underway]),
    });
    expect(orders).toEqual([
      ['', [5], false],
      ['', [1], false],
    ]);
    expect(steps).toEqual(expect.arrayContaining(['run deprovision', 'run provision', 'return place']));
    expect(memory.status.provisioning).toMatchObject({ state: 'provisioned', image: NEXT });
  });

  test('is asked for once in another budget by a host that builds volumes: it waits, and then deploys with it', () => {
    const annotations = { 'temper/approval-budget': 'power-off: 5; erase: 1' };
    const needs = [{ budget: 'power-off in hosts of Namespace metal that say so themselves', limit: 5 }];
    const place = {
      ticket: TICKET,
      code: `deprovision-${'0'.repeat(32)}`,
      needs,
      requestedAt: NOW,
      state: 'granted',
    } as const;
    const spec = { online: true, image: NEXT, raid: SOFTWARE_RAID };
    const wiped: HostMemory = { ...aHost({ state: 'preparing', seen: { annotations, spec } }), place };
    const asking = settled(wiped);
    if (asking.kind !== 'act' || asking.action.name !== 'ask for place') throw new Error('it should ask');
    const { order } = asking.action;
    const anew = startOf(wiped, { ...asking.action, order: { ...order, ticket: ANEW } });
    expect(said(settled(anew))).toBe('wait');
    const had = withPlaceAnswered(anew, { lock: 'budgets', kind: 'granted', ticket: ANEW });
    const { steps } = playedUntilRest(had, DEPLOYS);
    expect(steps.filter((step) => step.endsWith('place'))).toEqual(['return place']);
  });

  test('is returned when there is no next image, or the host is to be off', () => {
    const place = {
      ticket: TICKET,
      code: `deprovision-${'0'.repeat(32)}`,
      needs: [],
      requestedAt: NOW,
      state: 'granted',
    } as const;
    const wiped = { ...aHostToDeploy({ image: NEXT }), place };
    expect(said(settled(wiped))).toBe('ask for place');
    for (const spec of [{ image: undefined }, { image: NEXT, online: false }])
      expect(playedUntilRest(withSpec(wiped, spec)).steps.find((step) => step !== 'power')).toBe('return place');
  });
});
