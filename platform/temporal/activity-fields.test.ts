import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { activityFields, fieldsForSdk, rememberUid } from './activity-fields.ts';

async function logged(workflowId?: string, order: unknown = {}): Promise<object> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog('test', { LOG_LEVEL: 'info', DEV_LOGGING: false }, { destination, fields: activityFields });
  const say = async (): Promise<void> => log.info({ step: 'manage' }, 'Ironic accepted a step');
  const context = { info: { workflowExecution: { workflowId, runId: 'run-1' } } } as Context;
  const input = { args: [order], headers: {} };
  if (workflowId === undefined) await say();
  else await asyncLocalStorage.run(context, async () => rememberUid.execute?.(input, say));
  return JSON.parse(lines.join('')) as object;
}

const HOST = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
const MACHINE = { namespace: 'metal', name: 'host-1', uid: 'uid-2' };

test('a line of an activity names the object, its uid and the run', async () => {
  expect(await logged('baremetalhost/metal/host-1/provision/3', { host: HOST, nodeId: 'n' })).toMatchObject({
    workflowId: 'baremetalhost/metal/host-1/provision/3',
    runId: 'run-1',
    objectNamespace: 'metal',
    objectName: 'host-1',
    objectUid: 'uid-1',
    step: 'manage',
  });
  expect(await logged('temper-cluster')).not.toHaveProperty('objectName');
});

test('the uid is that of the run\u2019s own object, whatever else its input names', async () => {
  const order = { host: HOST, machine: MACHINE };
  expect(await logged('metal3machine/metal/host-1', order)).toHaveProperty('objectUid', 'uid-2');
  expect(await logged('baremetalhost/metal/host-1', order)).toHaveProperty('objectUid', 'uid-1');
  expect(await logged('baremetalhost/metal/host-1', { view: HOST })).toHaveProperty('objectUid', 'uid-1');
  expect(await logged('metal3data/metal/host-1', MACHINE)).toHaveProperty('objectUid', 'uid-2');
  expect(await logged('metal3machine/metal/other', order)).not.toHaveProperty('objectUid');
  expect(await logged('metal3machine/metal/other', 'text')).not.toHaveProperty('objectUid');
});

test('other lines name none', async () => {
  expect(await logged()).not.toHaveProperty('runId');
});

test('the lines of the SDK about an activity have the same fields', async () => {
  const workflowId = 'baremetalhost/metal/host-1/provision/3';
  const context = { info: { workflowExecution: { workflowId, runId: 'run-1' } } } as Context;
  const said = async (): Promise<unknown> =>
    fieldsForSdk(context).getLogAttributes?.({ activityType: 'deployNode' }, (input) => input);
  const input = { args: [{ host: HOST }], headers: {} };
  expect(await asyncLocalStorage.run(context, async () => rememberUid.execute?.(input, said))).toMatchObject({
    activityType: 'deployNode',
    runId: 'run-1',
    objectName: 'host-1',
    objectUid: 'uid-1',
  });
});
