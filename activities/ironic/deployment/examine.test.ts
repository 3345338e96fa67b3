import { afterEach, describe, expect, test } from 'vitest';
import { markText } from '../../../domain/ironic/mark.ts';
import { saysOccupied } from '../../../domain/ironic/occupied.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { aWillingObject } from '../../../test/builders/permits.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const ORDER = { ...anOrder({ nodeId: NODE }), retry: false } as const;
const MARKED_AT = '2026-01-01T00:00:00.000Z';
const SOON = '2026-01-01T00:00:40+00:00';
const image = { url: 'http://images/a.raw', checksum: 'abc' };

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const markOf = (change: object = {}): string =>
  markText({ request: 'active', nodeId: NODE, uid: 'uid-1', at: MARKED_AT, ...change });

/** Activities with an Ironic that shows this node, and an object with this mark. */
async function shown(facts: object, mark?: string) {
  const object = aWillingObject(mark);
  const answer = { status: 200, body: aNodeAnswer({ automated_clean: true, ...facts }) };
  open = await scriptActivities([answer, { status: 202 }], {}, {}, 1, () => object);
  return { ...open, object };
}
const changes = ({ ironic }: Pick<ScriptedActivities, 'ironic'>): readonly string[] =>
  ironic.requests.filter((request) => !request.startsWith('GET'));

describe('the node of a free host', () => {
  test.each(['deploying', 'wait call-back', 'active'])(
    'that is %s, which we began, is ours, and the mark stays on the object until it is undeployed',
    async (provision_state) => {
      const made = await shown({ provision_state, provision_updated_at: SOON }, markOf());
      expect(await made.activities.examineNode(ORDER)).toMatchObject({
        kind: 'done',
        node: { state: provision_state },
      });
      expect(changes(made)).toEqual([]);
      expect(made.object.asking.isSettled).toBe(false);
    },
  );

  test.each<[string, object, string | undefined]>([
    ['has no mark', { provision_updated_at: SOON }, undefined],
    ['has a mark of another object', { provision_updated_at: SOON }, markOf({ uid: 'uid-0' })],
    ['has a mark of another node', { provision_updated_at: SOON }, markOf({ nodeId: 'other' })],
    ['has a mark of another request', { provision_updated_at: SOON }, markOf({ request: 'deleted' })],
    [
      'changed long after the mark, which came from a backup',
      { provision_updated_at: '2026-01-02T00:00:00Z' },
      markOf(),
    ],
    ['changed before the mark', { provision_updated_at: '2025-12-31T00:00:00Z' }, markOf()],
    ['says nothing of when it changed', {}, markOf()],
  ])('that is active and %s is for a person to judge, and nothing is asked of Ironic', async (_, facts, mark) => {
    const made = await shown({ provision_state: 'active', ...facts }, mark);
    const answer = await made.activities.examineNode(ORDER);
    expect(answer).toMatchObject({ kind: 'failed', node: { state: 'active' } });
    expect(saysOccupied(answer.kind === 'failed' ? answer.message : '')).toBe(true);
    expect(changes(made)).toEqual([]);
  });

  test('that is available is free', async () => {
    const made = await shown({ provision_state: 'available' });
    expect(await made.activities.examineNode(ORDER)).toMatchObject({ kind: 'done', node: { state: 'available' } });
  });

  test('keeps its mark while somebody else looks at it', async () => {
    const made = await shown(
      { provision_state: 'active', power_state: 'power off', provision_updated_at: SOON },
      markOf(),
    );
    await made.activities.setPower({ ...ORDER, on: false, mode: 'hard', force: false });
    expect(made.object.asking.isSettled).toBe(false);
  });
});

describe('a node with something that Temper has not deployed', () => {
  const OTHER = { provision_state: 'active', instance_uuid: 'somebody-else' };

  test.each([OTHER, { provision_state: 'deploying' }, { provision_state: 'wait call-back' }])(
    'gets no image, and its host learns why: %j',
    async (facts) => {
      const made = await shown(facts);
      const answer = await made.activities.deployNode({ ...ORDER, image });
      expect(answer.kind === 'failed' && saysOccupied(answer.message)).toBe(true);
      expect(changes(made)).toEqual([]);
    },
  );

  test('is not undeployed for a host that shows no deployment', async () => {
    const made = await shown(OTHER);
    const answer = await made.activities.undeployNode(ORDER);
    expect(answer.kind === 'failed' && saysOccupied(answer.message)).toBe(true);
    expect(changes(made)).toEqual([]);
  });

  test.each<[string, object, object, string | undefined]>([
    ['its host shows that it was deployed, before it was moved', OTHER, { isShown: true }, undefined],
    ['the instance is that of the host', { ...OTHER, instance_uuid: 'uid-1' }, {}, undefined],
    ['the mark says that we began it', { ...OTHER, provision_updated_at: SOON }, {}, markOf()],
    [
      'it has a record of Temper',
      { ...OTHER, instance_info: { temper_deployment: { image: image.url, customDeployMethod: '' } } },
      {},
      undefined,
    ],
  ])('is undeployed when %s', async (_, facts, order, mark) => {
    const made = await shown(facts, mark);
    expect(await made.activities.undeployNode({ ...ORDER, ...order })).toMatchObject({ node: { state: 'deleting' } });
    expect(changes(made)).toHaveLength(1);
  });
});
