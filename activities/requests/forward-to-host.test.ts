import { WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import type { Claimant } from '../../domain/machine/choose-host/host-facts.ts';
import { createForwarding } from './forward-to-host.ts';

const HOST = { namespace: 'metal', name: 'node-1', uid: 'u' };
const MACHINE = { namespace: 'metal', name: 'm-1' };
const CONSUMER = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Metal3Machine', ...MACHINE };
const ORDER = {
  host: HOST,
  machine: MACHINE,
  message: { name: 'power', to: 'off', by: 'ada', reason: 'loud' },
  ticket: 't',
} as const;

/** The host with this consumer, whose run answers so. */
function forwarding(consumerRef: object | undefined, answer: () => string, machine: Claimant = MACHINE) {
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
  const kube = { find: async () => ({ metadata: HOST, spec: { online: true, consumerRef } }) };
  const activities = createForwarding(client as never, kube as never);
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
  const api = 'machine.openshift.io/v1beta1';
  const answer = (): string => 'power off metal/node-1';
  const own = forwarding({ apiVersion: api, kind: 'Machine', ...MACHINE }, answer, { ...MACHINE, api });
  expect(await own.forward()).toEqual({ kind: 'done', said: 'power off metal/node-1' });
  const another = forwarding(CONSUMER, answer, { ...MACHINE, api });
  expect(await another.forward()).toEqual({ kind: 'refused', why: 'host node-1 does not belong to it' });
  expect(another.sent).toEqual([]);
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
])('a run that %s is told as why', async (_, answer, why) => {
  expect(await forwarding(CONSUMER, answer).forward()).toEqual({ kind: 'refused', why });
});

test('another failure is tried again', async () => {
  const failing = forwarding(CONSUMER, () => {
    throw new Error('Temporal is away');
  });
  await expect(failing.forward()).rejects.toThrow('Temporal is away');
});
