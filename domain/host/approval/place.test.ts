import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import type { Obstacle } from '../../lock/answers.ts';
import { shortName } from '../../lock/marks.ts';
import { hostEntity } from '../entity.ts';
import type { HostMemory } from '../memory/memory.ts';
import { begin } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { hostConditions } from '../report/conditions.ts';
import { listed } from '../report/listed.ts';
import { situationOf } from '../report/situation.ts';
import type { HostStep } from '../step.ts';
import { withPlaceAnswered } from './place-answered.ts';

const ZONE = 'topology.kubernetes.io/zone';
const BUDGET = { 'temper/approval-budget': `1 per ${ZONE}` };
const NAME = `all in hosts of Namespace metal that say so themselves, ${ZONE}=a`;
const waitsFor: Obstacle = { budget: NAME, limit: 1, held: 1, holders: ['baremetalhost/metal/other'], ahead: 2 };

type Host = NonNullable<Parameters<typeof aHost>[0]>;
const hostWith = (host: Host, annotations: Record<string, string> = BUDGET): HostMemory =>
  aHost({
    ...host,
    seen: { labels: { [ZONE]: 'a' }, ...host.seen, annotations: { ...annotations, ...host.seen?.annotations } },
  });
const toProvision: Host = { state: 'available', seen: { spec: { online: true, image: IMAGE } } };
const toPowerOff: Host = {
  state: 'provisioned',
  status: { provisioning: provisionedWith(IMAGE.url), poweredOn: true },
  node: aNode({ state: 'active', poweredOn: true }),
  seen: { spec: { online: false, image: IMAGE } },
};

/** The host after all that it notes, and the step that is not a note. */
function settled(memory: HostMemory, now = NOW): readonly [HostMemory, HostStep] {
  const step = nextStep(memory, now);
  return step.kind === 'note' ? settled(step.memory, now) : [memory, step];
}
const does = (memory: HostMemory, now = NOW): string => said(settled(memory, now)[1]);

/** The host while it asks, with its ticket. */
function asking(memory: HostMemory, ticket = 'uid-1/mine'): HostMemory {
  const [now, step] = settled(memory);
  if (step.kind !== 'act' || step.action.name !== 'ask for place') throw new Error(`it should ask, not ${said(step)}`);
  const { action } = step;
  return startOf(now, { ...action, order: { ...action.order, ticket: action.order.ticket || ticket } });
}
const queued = (memory: HostMemory): HostMemory =>
  withPlaceAnswered(memory, { lock: 'budgets', kind: 'queued', ticket: 'uid-1/mine', waitsFor });
const granted = (memory: HostMemory, ticket = 'uid-1/mine'): HostMemory =>
  withPlaceAnswered(memory, { lock: 'budgets', kind: 'granted', ticket });

describe('a host with a budget', () => {
  test('asks for a place before the step, with its label, and goes on when it has it', () => {
    const memory = hostWith(toProvision);
    expect(nextStep(memory, NOW)).toMatchObject({
      action: { order: { ticket: '', needs: [{ budget: NAME, limit: 1 }], underway: false } },
    });
    expect(does(asking(memory))).toBe('wait');
    expect(does(granted(asking(memory)))).toBe('become provisioning');
    expect(does(granted(asking(hostWith(toPowerOff))))).toBe('power');
  });

  test('says which budget, who holds it, and what ends the wait', () => {
    const [memory, waiting] = settled(queued(asking(hostWith(toProvision))));
    const cause = `waiting for its turn in the budget ${NAME}: at most 1 at a time, now metal/other; 2 wait before it, and goes on when one of them ends its step`;
    const words = `${cause}, to clean its disks and write image ${IMAGE.url} over them`;
    expect(waiting).toEqual({ kind: 'wait', reason: words, cause, until: NOW + 600_000, inLine: true });
    expect(memory.events).toMatchObject([{ reason: 'BudgetExhausted', message: words }]);
    const held = { type: 'StepHeld', status: 'True', reason: 'BudgetExhausted', message: words };
    expect(hostConditions(memory)).toContainEqual(held);
    expect(situationOf(memory)).toBe(words);
    expect(listed(memory)).toMatchObject({ waitsFor: 'budget' });

    const next = queued(memory);
    const other = withPlaceAnswered(next, {
      lock: 'budgets',
      kind: 'queued',
      ticket: 'uid-1/mine',
      waitsFor: { ...waitsFor, held: 7, holders: ['baremetalhost/metal/third'], ahead: 0 },
    });
    expect(settled(other)[1]).toMatchObject({
      reason: expect.stringContaining('now metal/third and 6 more; it is next, and goes on when') as string,
    });
    expect(settled(other)[0].events).toHaveLength(1);
    const [after] = settled(granted(other));
    expect(hostConditions(after)).not.toContainEqual(expect.objectContaining({ type: 'StepHeld' }));
  });

  test('asks again after ten minutes, and at once when the budget is another one, with the same ticket', () => {
    const waiting = settled(queued(asking(hostWith(toProvision))))[0];
    const again = nextStep(waiting, NOW + 600_000);
    expect(again).toMatchObject({ action: { name: 'ask for place', order: { ticket: 'uid-1/mine' } } });
    const annotations = { 'temper/approval-budget': `3 per ${ZONE}` };
    const changed = { ...waiting, seen: { ...waiting.seen, annotations } };
    expect(nextStep(changed, NOW)).toMatchObject({
      action: { name: 'ask for place', order: { ticket: 'uid-1/mine', needs: [{ limit: 3 }] } },
    });
    expect(does(granted(asking(changed)))).toBe('become provisioning');
  });

  test('asks for all of its places anew when another budget is added, whether it waits or has them already', () => {
    const annotations = { 'temper/approval-budget': `1 per ${ZONE}; erase: 1` };
    const had = granted(asking(hostWith(toProvision)));
    const waiting = settled(queued(asking(hostWith(toProvision))))[0];
    for (const before of [had, waiting]) {
      const changed = { ...before, seen: { ...before.seen, annotations } };
      expect(settled(changed)[1]).toMatchObject({
        action: { name: 'ask for place', order: { ticket: '', underway: false, needs: [{}, {}] } },
      });
      const anew = asking(changed, 'uid-1/anew');
      expect(does(anew)).toBe('wait');
      expect(does(granted(anew, 'uid-1/mine'))).toBe('return place');
      expect(does(granted(anew, 'uid-1/anew'))).toBe('become provisioning');
    }
  });

  test('is returned when the budget is removed, and the host leaves the queue', () => {
    const waiting = settled(queued(asking(hostWith(toProvision))))[0];
    const free = { ...waiting, seen: { ...waiting.seen, annotations: {} } };
    const [memory, leaving] = settled(free);
    expect(said(leaving)).toBe('return place');
    if (leaving.kind !== 'act') throw new Error('it should return its place');
    const left = record(startOf(memory, leaving.action), leaving.action, { kind: 'done' }, CHANCE);
    expect(does(left)).toBe('become provisioning');
  });

  test('says that there is no room in the line, and asks again later with the same ticket', () => {
    const refused = withPlaceAnswered(asking(hostWith(toProvision)), {
      lock: 'budgets',
      kind: 'refused',
      ticket: 'uid-1/mine',
      waiting: 12_000,
    });
    const [memory, waiting] = settled(refused);
    expect(waiting).toMatchObject({
      kind: 'wait',
      until: NOW + 600_000,
      inLine: true,
      reason: expect.stringMatching(
        /^waiting for its turn in a budget, .*: 12000 hosts wait already, and there is no room for more; it asks again every ten minutes, to clean/,
      ) as string,
    });
    expect(listed(memory)).toMatchObject({ waitsFor: 'budget' });
    expect(nextStep(memory, NOW + 600_000)).toMatchObject({
      action: { name: 'ask for place', order: { ticket: 'uid-1/mine' } },
    });
    expect(does(granted(memory))).toBe('become provisioning');
  });

  test('knows the budget that it waits for by what stands for its name', () => {
    const memory = withPlaceAnswered(asking(hostWith(toProvision)), {
      lock: 'budgets',
      kind: 'queued',
      ticket: 'uid-1/mine',
      waitsFor: { ...waitsFor, budget: shortName(NAME) },
    });
    expect(memory.place?.waitsFor).toEqual(waitsFor);
  });

  test('takes a place last: after its approval, and when its window is open', () => {
    const approval = { ...BUDGET, 'temper/approval': 'erase' };
    expect(settled(hostWith(toProvision, approval))[0].awaits).toMatchObject({ for: 'approval' });
    const later = { ...BUDGET, 'temper/approval-window': '0 3 * * * 2h' };
    expect(settled(hostWith(toProvision, later))[0].awaits).toMatchObject({ for: 'window' });
    expect(does(hostWith(toProvision, later), Date.parse('2026-01-01T03:00:00Z'))).toBe('ask for place');
  });

  test('leaves the queue when it wants something else, or is held back', () => {
    const waiting = settled(queued(asking(hostWith(toProvision))))[0];
    const another = { ...waiting.seen.spec, image: { ...IMAGE, url: 'http://images/b.raw' } };
    for (const seen of [
      { ...waiting.seen, spec: another },
      { ...waiting.seen, spec: { ...waiting.seen.spec, online: false } },
      { ...waiting.seen, annotations: { ...BUDGET, 'temper/quarantine': 'loud' } },
    ])
      expect(does({ ...waiting, seen: { ...waiting.seen, ...seen } as HostMemory['seen'] })).toBe('return place');
  });

  test('keeps its place through all of the step, also between attempts, and gives it back with the end', () => {
    const had = granted(asking(hostWith(toProvision)));
    const begun = settled(had)[1];
    if (begun.kind !== 'become') throw new Error('it should be provisioned');
    expect(does(begun.memory)).toBe('run provision');
    const retrying: HostMemory = { ...begun.memory, retry: { kind: 'at', at: NOW + 60_000 } };
    expect(does(retrying)).not.toBe('return place');
    const parked = { ...begun.memory.seen, annotations: { ...BUDGET, 'temper/quarantine': 'loud' } };
    expect(does({ ...begun.memory, seen: parked })).toBe('wait');
    const finished: HostMemory = { ...begun.memory, finished: { name: 'provision', image: IMAGE } };
    const ended = settled(finished)[1];
    if (ended.kind !== 'become') throw new Error('it should be provisioned by now');
    const rest = { ...ended.memory, node: aNode({ state: 'active', poweredOn: true }) };
    expect(does(rest)).toBe('return place');
  });

  test('has a place, also above the limit, when its run begins during the step', () => {
    expect(nextStep(hostWith({ ...toProvision, state: 'provisioning' }), NOW)).toMatchObject({
      action: { order: { underway: true } },
    });
  });

  test('keeps its place after the step has begun when the step is changed, and asks with the same ticket', () => {
    const begun = settled(granted(asking(hostWith(toProvision))))[1];
    if (begun.kind !== 'become' || begun.memory.place === undefined) throw new Error('it should be provisioned');
    const changed = { ...begun.memory, place: { ...begun.memory.place, code: 'provision-another' } };
    expect(settled(changed)[1]).toMatchObject({ action: { name: 'ask for place', order: { ticket: 'uid-1/mine' } } });
    expect(does(asking(changed))).toBe('run provision');
  });

  test('that has left the line does not say that its budget can not be read', () => {
    const waiting = settled(queued(asking(hostWith(toProvision))))[0];
    const { place: _, ...left } = waiting;
    const held = hostConditions(left).find(({ type }) => type === 'StepHeld');
    expect(held?.message).toContain('its turn in a budget is not requested at the moment');
  });

  test('asks for nothing for what harms nobody, and without a budget for that step', () => {
    expect(does(hostWith({ state: 'available', seen: { spec: { online: true } } }))).toBe('power');
    expect(does(hostWith(toProvision, { 'temper/approval-budget': 'power-off: 1' }))).toBe('become provisioning');
    expect(does(hostWith(toProvision, {}))).toBe('become provisioning');
  });

  test('waits for a change of a budget that can not be read', () => {
    expect(settled(hostWith(toProvision, { 'temper/approval-budget': 'many' }))[1]).toEqual({
      kind: 'wait',
      cause: "waiting for a budget that can't be read, many of the host",
      reason: `waiting for a budget that can't be read, many of the host, to clean its disks and write image ${IMAGE.url} over them`,
    });
  });
});

describe('an answer about places', () => {
  test('that nobody needs any more is returned, once', () => {
    const late = granted(hostWith(toProvision), 'uid-1/old');
    expect(granted(late, 'uid-1/old')).toBe(late);
    const [, step] = settled(late);
    expect(step).toMatchObject({ action: { name: 'return place', order: { tickets: ['uid-1/old'] } } });
  });

  test('is taken over by a host that has its places, when they were found again by its object', () => {
    const had = granted(asking(hostWith(toProvision)));
    const found = granted(had, 'uid-1/found');
    expect(found.place).toMatchObject({ state: 'granted', ticket: 'uid-1/found' });
    expect(does(found)).toBe('become provisioning');
  });

  test('is kept by a host whose step has begun and that knows of no place: it asks with the same ticket', () => {
    const found = granted(hostWith({ ...toProvision, state: 'provisioning' }), 'uid-1/found');
    expect(does({ ...found, retry: { kind: 'at', at: NOW + 60_000 } })).not.toBe('return place');
    const [, step] = settled(found);
    expect(step).toMatchObject({ action: { name: 'ask for place', order: { ticket: 'uid-1/found', underway: true } } });
    expect(does(asking(found))).toBe('run provision');
  });

  test('does not revoke what was granted', () => {
    const had = granted(asking(hostWith(toProvision)));
    expect(queued(had)).toBe(had);
  });
});

describe('the place of a host that is gone', () => {
  const had = granted(asking(hostWith(toProvision)));

  test('is returned by its last step', () => {
    const last = hostEntity.afterVanishing?.(had);
    expect(last).toMatchObject({ name: 'return place', order: { tickets: ['uid-1/mine'] } });
    const left = last && record(startOf(had, last), last, { kind: 'done' }, CHANCE);
    expect(left && hostEntity.afterVanishing?.(left)).toBeUndefined();
  });

  test('is returned by its successor of the same name', () => {
    expect(begin(had.seen, had).placesToReturn).toEqual(['uid-1/mine']);
  });
});
