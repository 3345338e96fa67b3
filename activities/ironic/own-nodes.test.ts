import { afterEach, describe, expect, test } from 'vitest';
import { isOfOther } from '../../domain/ironic/node/node.ts';
import { messageOf } from '../../domain/message-of.ts';
import { anOrder } from '../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../test/builders/scripted-ironic.ts';
import type { IronicActivities } from './activities.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const NODE = '11111111-1111-4111-8111-111111111111';
const HOST = { namespace: 'tenant-a', name: 'host-1', uid: 'uid-1' };
const found = (name: string | null): Answer => ({
  status: 200,
  body: aNodeAnswer({ name, provision_state: 'active', power_state: 'power on' }),
});
const ORDER = anOrder({ host: HOST, nodeId: NODE });
const retry = true;
const MEDIA = { host: HOST, nodeId: NODE, desired: 'http://images/a.iso', attached: '', requested: null } as const;
const POWER = { host: HOST, nodeId: NODE, mode: 'hard', force: false } as const;

const ATTEMPTS: readonly [string, (on: IronicActivities) => Promise<unknown>][] = [
  ['inspect', (on) => on.startInspection({ ...ORDER, refresh: true, retry })],
  ['read the inventory of', (on) => on.saveInventory(ORDER)],
  ['clean', (on) => on.prepareNode({ ...ORDER, unprepared: true, retry })],
  ['provide', (on) => on.provideNode({ ...ORDER, retry })],
  ['deploy', (on) => on.deployNode({ ...ORDER, image: { url: 'http://images/a', checksum: 'x' }, retry })],
  ['erase', (on) => on.undeployNode({ ...ORDER, retry })],
  ['power off', (on) => on.setPower({ ...POWER, on: false })],
  ['power on', (on) => on.setPower({ ...POWER, on: true })],
  ['insert a medium into', (on) => on.changeMedia(MEDIA)],
  ['adopt', (on) => on.adoptNode({ ...ORDER, retry })],
  ['delete', (on) => on.deleteNode(ORDER)],
];

describe('the node of another host, whose id somebody wrote into the status of a host', () => {
  test.each(ATTEMPTS)('is unknown to who wants to %s it', async (_, attempt) => {
    open = await scriptActivities([found('tenant-b~host-1')]);
    const answer = await attempt(open.activities).catch(messageOf);
    expect([
      { kind: 'lost' },
      `can't read the inventory of node ${NODE}: Ironic does not know the node`,
    ]).toContainEqual(answer);
    expect(open.asked().filter(([request]) => !request.startsWith('GET '))).toEqual([]);
  });

  test('does not explain its failures', async () => {
    open = await scriptActivities([found('tenant-b~host-1')]);
    expect(await open.activities.explainFailure(ORDER)).toEqual({ message: `Ironic does not know node ${NODE}` });
  });

  test('is not registered again: the host gets a node of its own', async () => {
    const created = { status: 201, body: aNodeAnswer({ name: 'tenant-a~host-1', uuid: NODE.replaceAll('1', '2') }) };
    open = await scriptActivities([found('tenant-b~host-1'), 'gone', created]);
    const { activities } = open;
    await activities.registerNode({
      ...ORDER,
      credentialsChanged: true,
      credentialsSeen: '1',
      retry: false,
      deleting: false,
    });
    const changes = open.asked().filter(([request]) => !request.startsWith('GET '));
    expect(changes[0]?.[0]).toBe('POST /v1/nodes');
    expect(changes.filter(([request]) => request.includes(NODE))).toEqual([]);
  });
});

test.each<[string | null, boolean]>([
  ['tenant-b~host-1', true],
  ['tenant-a~host-2', true],
  ['tenant-a~host-1', false],
  // From before names had a namespace, or renamed by the operator.
  ['host-1', false],
  ['rack-7', false],
  [null, false],
])('a node with the name %s may be that of another host: %s', (name, expected) => {
  expect(isOfOther(name, HOST)).toBe(expected);
});
