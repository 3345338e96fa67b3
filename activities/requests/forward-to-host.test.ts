import { status } from '@grpc/grpc-js';
import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { hostPath, objectPath } from '../../kube/paths.ts';
import { createForwarding, type ForwardOrder } from './forward-to-host.ts';

const HOST = { namespace: 'metal', name: 'node-1', uid: 'u' };
const NAMED = { namespace: 'metal', name: 'm-1' };
/** The machine in the order of a run that was begun before orders had its uid. */
const MACHINE = { ...NAMED, uid: undefined };
const CONSUMER = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Metal3Machine', ...NAMED };
const ORDER = {
  host: HOST,
  machine: MACHINE,
  message: { name: 'power', to: 'off', by: 'ada', reason: 'loud' },
  ticket: 't',
} as const;

const API = 'machine.openshift.io/v1beta1';
const OF_MACHINE_API = { apiVersion: API, kind: 'Machine', ...NAMED };
const DONE = { kind: 'done', said: 'power off metal/node-1' } as const;
const done = (): string => DONE.said;
const pathOf = ({ api, ...named }: ForwardOrder['machine']): string =>
  objectPath(
    [KINDS.metal3Machine, KINDS.openShiftMachine, KINDS.clusterMachine].find(({ apiVersion }) => apiVersion === api) ??
      KINDS.metal3Machine,
    named,
  );

/** The host with this consumer, whose run answers so; `found`: the machine as it is now, null when it is gone. */
function forwarding(
  consumerRef: object | undefined,
  answer: () => string,
  machine: ForwardOrder['machine'] = MACHINE,
  found: { readonly metadata?: object; readonly status?: object } | null = {},
) {
  const sent: unknown[] = [];
  const client = {
    workflow: {
      getHandle: (workflowId: string) => ({
        executeUpdate: async ({ name }: { name: string }, options: object) => {
          sent.push({ workflowId, name, ...options });
          return answer();
        },
      }),
    },
  };
  const objects = new Map<string, unknown>([
    [hostPath(HOST), { metadata: HOST, spec: { online: true, consumerRef } }],
    [pathOf(machine), found === null ? undefined : { ...found, metadata: { ...NAMED, uid: 'm', ...found.metadata } }],
  ]);
  const kube = { find: async (path: string) => objects.get(path) };
  const activities = createForwarding(client as never, kube as never, 'npx temper temporal');
  return { sent, forward: () => activities.forwardToHost({ ...ORDER, machine }) };
}

test('a message is sent on to the run of the host, with the machine beside the person', async () => {
  const { sent, forward } = forwarding(CONSUMER, () => 'power off metal/node-1');
  expect(await forward()).toEqual({ kind: 'done', said: 'power off metal/node-1' });
  expect(sent).toEqual([
    {
      workflowId: 'baremetalhost/metal/node-1',
      name: 'power',
      args: [{ to: 'off', by: 'ada for machine m-1', reason: 'loud' }],
      updateId: 't',
    },
  ]);
});

test('a Machine of the Machine API sends on to its own host alone, not to that of a Metal3Machine of its name', async () => {
  const own = forwarding(OF_MACHINE_API, done, { ...MACHINE, api: API });
  expect(await own.forward()).toEqual(DONE);
  const another = forwarding(CONSUMER, done, { ...MACHINE, api: API });
  expect(await another.forward()).toEqual({ kind: 'refused', why: 'host node-1 does not belong to it' });
  expect(another.sent).toEqual([]);
});

describe('of a machine that its run knows from an old snapshot', () => {
  const CURRENT = { ...NAMED, uid: 'm' };
  const GONE = 'it does not exist any more';
  const LEFT = 'it is left alone, because its authoritative API is Migrating: steer its host itself';
  const moving = { status: { authoritativeAPI: 'Migrating' } };
  const moved = {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'clusterctl.cluster.x-k8s.io/delete-for-move': '' },
  };

  test.each([
    ['is gone', CONSUMER, CURRENT, null, GONE],
    ['was made anew under its name', CONSUMER, { ...MACHINE, uid: 'former' }, {}, GONE],
    [
      'was moved by clusterctl',
      CONSUMER,
      CURRENT,
      { metadata: moved },
      'clusterctl has moved it: steer it in its new cluster',
    ],
    ['of the Machine API is gone', OF_MACHINE_API, { ...CURRENT, api: API }, null, GONE],
    ['of the Machine API was made anew', OF_MACHINE_API, { ...MACHINE, uid: 'former', api: API }, {}, GONE],
    ['is being moved to Cluster API', OF_MACHINE_API, { ...CURRENT, api: API }, moving, LEFT],
    [
      'is being moved to Cluster API, in an order without its uid',
      OF_MACHINE_API,
      { ...MACHINE, api: API },
      moving,
      LEFT,
    ],
  ])('nothing is sent to the host: it %s', async (_, consumer, machine, found, why) => {
    const { sent, forward } = forwarding(consumer, done, machine, found);
    expect(await forward()).toEqual({ kind: 'refused', why });
    expect(sent).toEqual([]);
  });

  test.each([
    ['as its run knows it', CONSUMER, CURRENT, {}],
    ['in an order without its uid', CONSUMER, MACHINE, {}],
    [
      'that Cluster API has given back',
      OF_MACHINE_API,
      { ...CURRENT, api: API },
      { status: { authoritativeAPI: 'MachineAPI' } },
    ],
    [
      'of an API whose Machines do not move',
      { ...OF_MACHINE_API, apiVersion: 'cluster.k8s.io/v1alpha1' },
      { ...CURRENT, api: 'cluster.k8s.io/v1alpha1' },
      moving,
    ],
  ])('a message is sent on for one %s', async (_, consumer, machine, found) => {
    expect(await forwarding(consumer, done, machine, found).forward()).toEqual(DONE);
  });
});

test.each([
  ['has no consumer', undefined],
  ['belongs to another machine', { ...CONSUMER, name: 'm-2' }],
])('nothing is sent to a host that %s', async (_, consumer) => {
  const { sent, forward } = forwarding(consumer, () => '');
  expect(await forward()).toEqual({ kind: 'refused', why: 'host node-1 does not belong to it' });
  expect(sent).toEqual([]);
});

test.each<[string, () => string, string]>([
  [
    'refuses it',
    () => {
      const cause = ApplicationFailure.nonRetryable('power node-1: it is paused: resume it first', 'Refused');
      throw new WorkflowUpdateFailedError('the update failed', cause);
    },
    'host node-1 refuses it: it is paused: resume it first',
  ],
  [
    'has just lost its host',
    () => {
      const cause = ApplicationFailure.nonRetryable('the host does not exist any more', 'Refused');
      throw new WorkflowUpdateFailedError('the update failed', cause);
    },
    'host node-1 refuses it: the host does not exist any more',
  ],
  [
    'is gone',
    () => {
      throw new WorkflowNotFoundError('not found', 'baremetalhost/metal/node-1', undefined);
    },
    'host node-1 has no run in Temporal: the bridge starts it again within a minute',
  ],
  [
    'is paused in Temporal',
    () => {
      const refusal = { code: status.FAILED_PRECONDITION, details: 'Workflow is paused.', metadata: {} };
      throw new ServiceError('Workflow Update failed', { cause: Object.assign(new Error('refused'), refusal) });
    },
    'the run of host node-1 is paused in Temporal: npx temper temporal workflow unpause --workflow-id baremetalhost/metal/node-1',
  ],
])('a run that %s is told as why', async (_, answer, why) => {
  expect(await forwarding(CONSUMER, answer).forward()).toEqual({ kind: 'refused', why });
});

test('another failure is tried again', async () => {
  const failing = forwarding(CONSUMER, () => {
    throw new Error('Temporal is away');
  });
  await expect(failing.forward()).rejects.toThrow('Temporal is away');
});
