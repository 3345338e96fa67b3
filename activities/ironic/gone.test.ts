import { afterEach, describe, expect, test } from 'vitest';
import { anOrder } from '../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, fault } from '../../test/builders/scripted-ironic.ts';
import type { IronicActivities } from './activities.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const ORDER = { ...anOrder({ nodeId: NODE }), retry: false } as const;

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

/** Each activity that may take a node for lost. */
const LOSING: readonly [string, (on: IronicActivities) => Promise<unknown>][] = [
  ['inspect', (on) => on.startInspection({ ...ORDER, refresh: false })],
  ['prepare', (on) => on.prepareNode({ ...ORDER, unprepared: false })],
  ['provide', (on) => on.provideNode(ORDER)],
  ['deploy', (on) => on.deployNode({ ...ORDER, image: { url: 'http://images/a', checksum: 'abc' } })],
  ['undeploy', (on) => on.undeployNode(ORDER)],
  ['power off', (on) => on.setPower({ ...ORDER, on: false, mode: 'hard', force: false })],
  ['power on', (on) => on.setPower({ ...ORDER, on: true, mode: 'hard', force: false })],
  ['adopt', (on) => on.adoptNode(ORDER)],
  ['abort', (on) => on.abortNode(ORDER)],
  ['delete', (on) => on.deleteNode(ORDER)],
  ['media', (on) => on.changeMedia({ ...ORDER, desired: '', attached: '', requested: null })],
];

/** What answers 404 and knows nothing of the node. */
const OTHERS: readonly [string, Answer][] = [
  ['a proxy without a backend', { status: 404, body: '<html><head><title>404 Not Found</title></head></html>' }],
  ['a load balancer', { status: 404, body: { error: 'not found', message: `Node ${NODE} could not be found.` } }],
  ['a server at a wrong path', { status: 404, body: '404 page not found' }],
  ['nothing at all', { status: 404 }],
];

describe.each(LOSING)('the node of a host, for the request to %s it,', (_, act) => {
  test('is lost when Ironic says that it does not know this node', async () => {
    open = await scriptActivities(['gone']);
    expect(await act(open.activities)).toEqual({ kind: 'lost' });
  });

  test.each(OTHERS)('is not lost when %s answers: that is an Ironic that does not answer', async (__, answer) => {
    open = await scriptActivities([answer]);
    await expect(act(open.activities)).rejects.toMatchObject({ type: 'IronicBroken', nonRetryable: false });
  });

  test('is not lost when Ironic speaks of something else', async () => {
    const other = 'Port 22222222-2222-4222-8222-222222222222 could not be found.';
    open = await scriptActivities([{ status: 404, body: fault(other) }]);
    const answer: unknown = await act(open.activities).catch((error: unknown) => error);
    expect(answer).not.toEqual({ kind: 'lost' });
  });

  test('is not lost when Ironic does not list its nodes at the same time', async () => {
    open = await scriptActivities(['gone']);
    open.ironic.listing = { status: 503, body: '<html></html>' };
    await expect(act(open.activities)).rejects.toMatchObject({ nonRetryable: false });
  });
});

describe('a host that is being deleted', () => {
  test.each(OTHERS)('is not let go while %s answers', async (_, answer) => {
    open = await scriptActivities([answer]);
    const order = { ...ORDER, credentialsChanged: false, credentialsSeen: '1', deleting: true };
    await expect(open.activities.registerNode(order)).rejects.toMatchObject({ type: 'IronicBroken' });
  });
});
