import { afterEach, describe, expect, test, vi } from 'vitest';
import { markText } from '../../domain/ironic/mark.ts';
import { anOrder } from '../../test/builders/node.ts';
import { aWillingObject, type WillingObject } from '../../test/builders/permits.ts';
import {
  type ScriptedActivities,
  type ScriptOptions,
  scriptActivities,
} from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../test/builders/scripted-ironic.ts';
import { IronicError } from './client/errors.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const LOCKED: Answer = { status: 409, body: fault('Node n is locked by host lab, please retry after') };
const node = (facts: object): Answer => ({ status: 200, body: aNodeAnswer(facts) });
const ORDER = { ...anOrder({ nodeId: NODE }), retry: false } as const;

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

/** Activities with a scripted Ironic, and the object of their operations. */
async function scripted(answers: readonly Answer[], earlier?: string, more: Partial<ScriptOptions> = {}) {
  const object = aWillingObject(earlier);
  open = await scriptActivities(answers, {}, {}, 1, () => object, { pausesMs: [1, 1], ...more });
  return { ...open, object };
}

const changesOf = ({ ironic }: Pick<ScriptedActivities, 'ironic'>): readonly string[] =>
  ironic.requests.filter((request) => !request.startsWith('GET')).map((request) => request.replace('/v1/nodes/', ''));

describe('a change that Ironic does not take now', () => {
  test.each<[string, Answer]>([
    ['the node is locked', LOCKED],
    ['it has no free workers', { status: 503, body: fault('no free workers') }],
    ['it is asked too often', { status: 429, body: fault('slow down') }],
    ['it was replaced by one with other versions', { status: 406, body: fault('not acceptable') }],
  ])('because %s, is decided anew, with new reads of object and node', async (_, refusal) => {
    const active = node({ provision_state: 'active', automated_clean: true });
    const { activities, object, ...script } = await scripted([active, refusal, active, { status: 202 }]);
    expect(await activities.undeployNode(ORDER)).toMatchObject({ kind: 'started', node: { state: 'deleting' } });
    expect(script.ironic.requests.map((request) => request.split(' ')[0])).toEqual(['GET', 'PUT', 'GET', 'PUT']);
    expect(object.reads()).toBe(2);
  });

  test('is not sent again when the node has moved meanwhile', async () => {
    const answers = [
      node({ provision_state: 'active', automated_clean: true }),
      LOCKED,
      node({ provision_state: 'deleting' }),
    ];
    const { activities, ...script } = await scripted(answers);
    expect(await activities.undeployNode(ORDER)).toMatchObject({ kind: 'started', node: { state: 'deleting' } });
    expect(changesOf(script)).toHaveLength(1);
  });

  test.each<[string, Answer]>([
    ['IronicBusy', LOCKED],
    ['IronicRefused', { status: 406, body: fault('not acceptable') }],
  ])('is given up after a while, as an error worth another try: %s', async (type, refusal) => {
    const active = node({ provision_state: 'active', automated_clean: true });
    const { activities, ...script } = await scripted([active, refusal, active, refusal, active, refusal]);
    await expect(activities.undeployNode(ORDER)).rejects.toMatchObject({ type, nonRetryable: false });
    expect(changesOf(script)).toHaveLength(3);
  });
});

test('an operation that has had no turn in its time is an error that says how many wait, and is tried again', async () => {
  const time = new AbortController();
  const { activities, ironic, waiting } = await scripted(['silence'], undefined, {
    concurrentChanges: 1,
    signal: time.signal,
  });
  const three = [activities.undeployNode(ORDER), activities.deleteNode(ORDER), activities.abortNode(ORDER)];
  await vi.waitUntil(() => ironic.requests.length === 1 && waiting() === 2);
  // As the timeout of an activity ends.
  time.abort(new DOMException('the time is over', 'TimeoutError'));
  const errors = await Promise.all(three.map((each) => each.catch((error: unknown) => error)));
  const withoutTurn = errors.filter((error) => error instanceof IronicError);
  expect(withoutTurn).toHaveLength(2);
  for (const error of withoutTurn) {
    expect(error).toMatchObject({ type: 'IronicBusy', nonRetryable: false });
    expect(error.message).toMatch(/^BareMetalHost host-1 has had no turn: .* \d more wait for their turn/);
  }
  expect(ironic.requests).toHaveLength(1);
});

test('an object that can not be read quickly enough is an error that says so, after some attempts', async () => {
  const now = { wall: Date.now(), monotonic: 0 };
  const later = (): void => {
    now.wall += 4_000;
    now.monotonic += 4_000;
  };
  const object = aWillingObject(undefined, later, { wall: () => now.wall, monotonic: () => now.monotonic });
  const active = node({ provision_state: 'active', automated_clean: true });
  open = await scriptActivities([active], {}, {}, 1, () => object, { pausesMs: [1, 1] });
  const error: unknown = await open.activities.undeployNode(ORDER).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ type: 'IronicBusy', nonRetryable: false });
  expect(String(error)).toMatch(/host-1: nothing was sent: too much time has passed .*, in 3 attempts in a row/);
  expect(changesOf(open)).toEqual([]);
});

describe('a request that is marked', () => {
  const marking: readonly [
    string,
    (made: WillingObject, on: ScriptedActivities) => Promise<unknown>,
    Answer[],
    string[],
  ][] = [
    [
      'deleted',
      (_, { activities }) => activities.undeployNode(ORDER),
      [node({ provision_state: 'active', automated_clean: true })],
      ['deleted'],
    ],
    [
      'power off',
      (_, { activities }) => activities.setPower({ ...ORDER, on: false, mode: 'hard', force: false }),
      [node({ provision_state: 'active', power_state: 'power on' })],
      ['power off'],
    ],
    [
      'delete',
      (_, { activities }) => activities.deleteNode(ORDER),
      [node({ provision_state: 'available' })],
      ['delete'],
    ],
    [
      'active',
      (_, { activities }) => activities.deployNode({ ...ORDER, image: { url: 'http://images/a', checksum: 'abc' } }),
      [node({ provision_state: 'available' }), node({ provision_state: 'available' })],
      ['active'],
    ],
  ];

  test.each(marking)('stands on the object before it is sent: %s', async (_, act, answers, marks) => {
    const made = await scripted([...answers, { status: 202 }]);
    await act(made.object, made);
    expect(made.object.marks).toEqual(marks);
    expect(made.object.asking.isSettled).toBe(true);
  });

  test.each<[string, Answer, boolean]>([
    ['goes when Ironic has refused', { status: 400, body: fault('not now') }, true],
    ['stays when there is no answer', 'cut', false],
    ['stays when a proxy answers instead', { status: 502, body: '<html>Bad Gateway</html>' }, false],
    ['stays when a proxy says that its backend is away', { status: 503, body: 'upstream connect error' }, false],
    ['goes when Ironic has no free workers', { status: 503, body: fault('no free workers') }, true],
    ['stays when Ironic has waited for its conductor in vain', { status: 500, body: fault('MessagingTimeout') }, false],
  ])('%s', async (_, answer, isSettled) => {
    const active = node({ provision_state: 'active', automated_clean: true });
    const { activities, object } = await scripted([active, answer]);
    await activities.undeployNode(ORDER).catch(() => undefined);
    expect(object.marks).toEqual(['deleted']);
    expect(object.asking.isSettled).toBe(isSettled);
  });
});

describe('an earlier request whose answer was lost', () => {
  const earlier = (request: 'active' | 'deleted', msAgo: number): string =>
    markText({ request, nodeId: NODE, uid: 'uid-1', at: new Date(Date.now() - msAgo).toISOString() });

  test('to deploy is waited for before a node counts as available', async () => {
    const { activities } = await scripted([node({ provision_state: 'available' })], earlier('active', 1_000));
    const error: unknown = await activities.undeployNode(ORDER).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ type: 'IronicBusy', nonRetryable: false });
    expect(String(error)).toMatch(/has not answered the request 'active' and may still begin with it for 1\d\d s/);
  });

  test('and that another process has sent while the operation waited for its turn is found in the turn', async () => {
    const now = { wall: Date.now(), monotonic: 0 };
    const object = aWillingObject(undefined, undefined, { wall: () => now.wall, monotonic: () => now.monotonic });
    open = await scriptActivities([node({ provision_state: 'available' })], {}, {}, 1, () => object, {});
    object.remark(earlier('active', 1_000));
    now.monotonic += 60_000;
    await expect(open.activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(open.ironic.requests).toHaveLength(1);
  });

  test('and that another process has just sent is found by the read before the request', async () => {
    const object = aWillingObject();
    const active = node({ provision_state: 'active', automated_clean: true });
    open = await scriptActivities([active], {}, {}, 1, () => object, {});
    object.remark(earlier('deleted', 1_000));
    await expect(open.activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(changesOf(open)).toEqual([]);
    expect(object.marks).toEqual([]);
  });

  test('does not take with it the mark of another request, sent by another process since', async () => {
    const object = aWillingObject(earlier('deleted', 600_000));
    const newer = earlier('deleted', 1_000);
    const active = node({ provision_state: 'active', automated_clean: true });
    const lookedAt = (): Answer => {
      object.remark(newer);
      return active;
    };
    open = await scriptActivities([lookedAt, active], {}, {}, 1, () => object, { pausesMs: [1] });
    await expect(open.activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(object.asking.text).toBe(newer);
    expect(object.asking.isSettled).toBe(false);
  });

  test('to deploy that was carried out all the same is undeployed', async () => {
    const answers = [node({ provision_state: 'active', automated_clean: true }), { status: 202 }];
    const { activities, object, ...script } = await scripted(answers, earlier('active', 1_000));
    expect(await activities.undeployNode(ORDER)).toMatchObject({ kind: 'started', node: { state: 'deleting' } });
    expect(changesOf(script)).toEqual([`PUT ${NODE}/states/provision`]);
    expect(object.asking.isSettled).toBe(true);
  });

  test('to undeploy is waited for before an active node counts as untouched', async () => {
    const { activities, ...script } = await scripted([node({ provision_state: 'active' })], earlier('deleted', 1_000));
    await expect(activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    expect(changesOf(script)).toEqual([]);
  });

  test('is over when Ironic can not begin with it any more, and changes nothing by itself', async () => {
    const { activities, object, ...script } = await scripted(
      [node({ provision_state: 'available' })],
      earlier('active', 600_000),
    );
    expect(await activities.undeployNode(ORDER)).toMatchObject({ kind: 'done', node: { state: 'available' } });
    expect(changesOf(script)).toEqual([]);
    expect(object.asking.isSettled).toBe(true);
  });

  test.each<[string, number]>([
    ['from a year ahead', -365 * 86_400_000],
    ['that is a year old', 365 * 86_400_000],
  ])('and a mark %s is waited for, because a clock may be wrong', async (_, msAgo) => {
    const { activities } = await scripted([node({ provision_state: 'available' })], earlier('active', msAgo));
    await expect(activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
  });

  test('is waited for while Ironic holds the lock of the node, and fails with words when it never releases it', async () => {
    const locked = node({ provision_state: 'active', reservation: 'conductor-1' });
    const waiting = await scripted([locked], earlier('deleted', 600_000));
    await expect(waiting.activities.undeployNode(ORDER)).rejects.toMatchObject({ type: 'IronicBusy' });
    await waiting.close();
    const { activities } = await scripted([locked], earlier('deleted', 2_700_000));
    await expect(activities.undeployNode(ORDER)).rejects.toMatchObject({
      type: 'IronicRefused',
      message: expect.stringContaining('the conductor that took it may be dead') as string,
    });
  });
});
