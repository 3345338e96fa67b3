import { randomBytes } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createHostRequests } from '../../activities/requests/request-host.ts';
import { KINDS } from '../../api/kinds.ts';
import type { LetOnOrder } from '../../domain/remediation/step.ts';
import { connectKube } from '../../kube/client.ts';
import {
  entityWorkflowId,
  hostWorkflowId,
  observed,
  requestFailing,
  STALE,
  type SteerOrder,
  TASK_QUEUE,
  vanished,
  view,
} from '../../workflows/messages.ts';
import { firstAttributes } from '../../workflows/search-attributes.ts';
import { aNode } from '../builders/host.ts';
import { aRemediation, aSickHost, BEGUN, OUR_KEY } from '../builders/remediation.ts';
import { sharedControlPlane } from './control-plane.ts';
import { type HostRun, type LifeScene, openLifeScene } from './life/scene.ts';

/** What anybody with the command line of Temporal can send to the run of a host. */
const { temporalAddress, temporalNamespace } = sharedControlPlane();
let scene: LifeScene;
/** What was asked of activities that take something away. */
const asked: string[] = [];

const STEERED_AT = '2026-01-01T00:00:05Z';

beforeAll(async () => {
  scene = await openLifeScene({
    steerHost: ({ message }: SteerOrder<unknown>) =>
      message.reason === 'no'
        ? { kind: 'refused', why: 'it makes no sense now' }
        : { kind: 'done', at: STEERED_AT, said: `${message.name} is done` },
    registerNode: () => ({ kind: 'credentials missing', message: 'no Secret' }),
    takeHost() {
      throw ApplicationFailure.nonRetryable('a policy forbids it');
    },
    releaseHost: () => void asked.push('releaseHost'),
    deleteNode() {
      asked.push('deleteNode');
      return { kind: 'lost' };
    },
    letHostOn({ remediation, vanished }: LetOnOrder) {
      asked.push(`letHostOn of ${remediation.name}${vanished ? ', if it is gone' : ''}`);
      throw ApplicationFailure.create({ type: STALE, nonRetryable: true, message: 'it exists' });
    },
  });
});
afterAll(() => scene.close());

interface Sent {
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Sent again when Temporal says that it has not taken it, because the run was in use for too long. */
async function send(...args: readonly string[]): Promise<Sent> {
  const where = ['--address', temporalAddress, '--namespace', temporalNamespace];
  const sent = await execa(inject('temporalCli'), ['workflow', ...args, ...where], { reject: false });
  return sent.stderr.includes('Workflow is busy') ? send(...args) : sent;
}

const aWaitingHost = async (): Promise<HostRun> => {
  const host = await scene.aHost();
  await expect.poll(() => host.details()).toContain('registration error (failure 1): no Secret');
  return host;
};

test('a claim that the API server refuses was not written, and its machine may try another host', async () => {
  const { snapshot, handle } = await aWaitingHost();
  const kube = connectKube(inject('kubeconfig'));
  const requests = createHostRequests(scene.client, kube);
  const { namespace, name, uid } = snapshot;
  const machine = { namespace, name: 'm' };
  const claim = (of: string) =>
    requests.requestHost({ host: { namespace, name, uid: of }, machine, clusterName: '', ticket: `claim ${of}` });
  expect(await claim(uid)).toEqual({ kind: 'refused', message: 'a policy forbids it' });
  expect(await claim('of yesterday')).toEqual({ kind: 'refused', message: `host ${name} does not exist any more` });
  await handle.terminate('the test is over');
  await kube.close();
});

const node = aNode();
const GARBAGE: readonly (readonly [signal: string, inputs: readonly (string | undefined)[]])[] = [
  [
    'observed',
    [
      undefined,
      'null',
      '{}',
      '"x"',
      '[1]',
      '{"snapshot":{"uid":"uid-1"},"order":{"epoch":9,"number":9}}',
      `{"snapshot":${JSON.stringify({ namespace: 'metal', name: 'n', uid: 'uid-1', resourceVersion: '1', generation: 1, creationTimestamp: '' })},"order":{"epoch":9,"number":9}}`,
      '{"snapshot":{},"order":{"epoch":-1,"number":1e99}}',
    ],
  ],
  ['vanished', [undefined, 'null', '{}', '"x"', '{"uid":7}', '{"uid":"somebody-elses"}']],
  [
    'nodeObserved',
    [
      undefined,
      'null',
      '{}',
      '"x"',
      '{"uid":"uid-1","nodeId":"n","node":{"id":5}}',
      JSON.stringify({ uid: 'somebody-elses', nodeId: node.id, node }),
    ],
  ],
  [
    'stuckObserved',
    [undefined, 'null', '{}', '"x"', '{"uid":"uid-1"}', '{"uid":"somebody-elses","state":"registering"}'],
  ],
  [
    'placeAnswered',
    [
      undefined,
      'null',
      '{}',
      '"x"',
      '{"kind":"granted","ticket":"t"}',
      '{"kind":"granted","lock":"slots"}',
      '{"kind":"granted","lock":"others","ticket":"t"}',
      '{"kind":"queued","lock":"budgets","ticket":"t"}',
      '{"kind":"refused","lock":"slots","ticket":"t","waiting":-1}',
    ],
  ],
  ['quarantine', [undefined, '{"by":"ada"}', '{"by":"ada","reason":""}', '{"by":"ada","reason":"one\\ntwo"}']],
  ['power', ['{"by":"ada","reason":"r","to":"up"}']],
  ['requestFailing', [undefined, '{}', '"x"', '{"what":"","since":"","attempts":0,"answer":""}']],
];

describe('garbage sent to a host', () => {
  test('as a signal is ignored and logged, and the next good message works', async () => {
    const host = await aWaitingHost();
    const id = hostWorkflowId(host.snapshot);
    for (const [name, inputs] of GARBAGE) {
      for (const input of inputs) {
        const sent = await send(
          'signal',
          '--workflow-id',
          id,
          '--name',
          name,
          ...(input === undefined ? [] : ['--input', input]),
        );
        expect(sent.exitCode, sent.stderr).toBe(0);
      }
    }
    await expect.poll(() => host.details()).toMatch(/Messages ignored in this run: 4\d/);
    expect(await host.details()).toContain('requestFailing: the message.attempts is not a whole number');
    expect(await host.failedTasks()).toBe(0);
    await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await host.handle.result();
    expect(host.shown.at(-1)).toMatchObject({ uid: 'uid-1', leaving: true });
  });

  test('as bytes that no sender of ours would write is ignored as well', async () => {
    const host = await aWaitingHost();
    const { namespace } = scene.client.options;
    for (const [encoding, data] of [
      ['json/plain', '{broken'],
      ['binary/plain', 'x'],
      ['binary/protobuf', 'x'],
      ['unheard/of', 'x'],
    ] as const) {
      await scene.client.workflowService.signalWorkflowExecution({
        namespace,
        workflowExecution: { workflowId: hostWorkflowId(host.snapshot) },
        signalName: 'observed',
        input: { payloads: [{ metadata: { encoding: Buffer.from(encoding) }, data: Buffer.from(data) }] },
      });
    }
    await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await host.handle.result();
    expect(await host.failedTasks()).toBe(0);
  });

  test('as the last snapshot that there can be is ignored, and the next good message works', async () => {
    const host = await aWaitingHost();
    const order = { epoch: Number.MAX_SAFE_INTEGER, number: 1 };
    await host.handle.signal(observed, { snapshot: host.snapshot, order });
    await host.tell({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    await host.handle.result();
    expect(host.shown.at(-1)).toMatchObject({ leaving: true });
  });

  test('as an update is refused with a reason, and leaves no trace', async () => {
    const host = await aWaitingHost();
    for (const name of ['claim', 'release', 'pause', 'abort', 'releaseQuarantine', 'power', 'forceDelete']) {
      for (const input of [undefined, 'null', '{}', '"x"', '{"host":{"name":"n"},"machine":null}']) {
        const sent = await send(
          'update',
          'execute',
          '--workflow-id',
          hostWorkflowId(host.snapshot),
          '--name',
          name,
          ...(input === undefined ? [] : ['--input', input]),
        );
        expect(`${sent.stdout}${sent.stderr}`).toContain('the message');
        expect(sent.exitCode).not.toBe(0);
      }
    }
    const { events } = await host.handle.fetchHistory();
    expect((events ?? []).filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    expect(await host.failedTasks()).toBe(0);
    await host.handle.terminate('the test is over');
  });

  test('leaves alone what the workers tell of a request that keeps failing, which the view shows until it is over', async () => {
    const host = await aWaitingHost();
    const failing = { what: 'setPower', since: '2026-01-01T00:00:00Z', attempts: 3, answer: 'Ironic is locked' };
    await host.handle.signal(requestFailing, failing);
    await host.handle.signal('requestFailing', { ...failing, attempts: 'many' });
    await expect.poll(() => host.handle.query(view)).toMatchObject({ retrying: failing });
    expect(await host.details()).toContain(
      'setPower: 3 attempts since 2026-01-01T00:00:00Z, last answer: Ironic is locked',
    );
    await host.handle.signal(requestFailing, null);
    await expect.poll(async () => (await host.handle.query(view))?.retrying).toBeUndefined();
    await host.handle.terminate('the test is over');
  });

  test('as a query is answered', async () => {
    const host = await aWaitingHost();
    for (const input of ['null', '"x"', '{}']) {
      const sent = await send(
        'query',
        '--workflow-id',
        hostWorkflowId(host.snapshot),
        '--type',
        'view',
        '--input',
        input,
      );
      expect(sent.exitCode, sent.stderr).toBe(0);
    }
    await host.handle.terminate('the test is over');
  });
});

describe('a message of a person', () => {
  test('is kept in the view and in the details of the run, and one that is refused is not', async () => {
    const host = await aWaitingHost();
    const ask = (reason: string) => host.handle.executeUpdate('quarantine', { args: [{ by: 'ada', reason }] });
    expect(await ask('the fan is loud')).toBe('quarantine is done');
    await expect(ask('no')).rejects.toMatchObject({
      cause: { message: expect.stringContaining('no sense') as unknown },
    });
    const entry = { at: STEERED_AT, what: 'quarantine', by: 'ada', reason: 'the fan is loud' };
    expect(await host.handle.query(view)).toMatchObject({ shown: { ofKind: { steered: [entry] } } });
    await expect.poll(() => host.shown.at(-1)?.shown.ofKind).toMatchObject({ steered: [entry] });
    expect(await host.details()).toContain(`Last message: quarantine by ada: the fan is loud (${STEERED_AT})`);
    await host.handle.terminate();
  });
});

describe('a message that an object has vanished, which is there', () => {
  test('ends the run of a host, and nothing else: the bridge starts it again', async () => {
    const host = await aWaitingHost();
    asked.length = 0;
    await host.handle.signal(vanished, { uid: host.snapshot.uid });
    await host.handle.result();
    expect(asked).toEqual([]);
    expect(host.shown.filter(({ leaving }) => leaving)).toEqual([]);
  });

  test('is found out by a remediation before its host is let on, and it goes on from its object', async () => {
    const name = `life-${randomBytes(4).toString('hex')}`;
    const off = aSickHost({ heldBy: [OUR_KEY] });
    const snapshot = aRemediation({ name, host: off, status: { phase: 'Running', lastRemediated: BEGUN } });
    const order = { epoch: 1, number: 1 };
    asked.length = 0;
    const run = await scene.client.workflow.signalWithStart(KINDS.remediation.workflow.type, {
      workflowId: entityWorkflowId('Metal3Remediation', snapshot),
      taskQueue: TASK_QUEUE,
      typedSearchAttributes: firstAttributes(KINDS.remediation, snapshot.namespace),
      args: [{ options: {} }],
      signal: observed,
      signalArgs: [{ snapshot, order }],
    });
    const waitingFor = async (): Promise<string | undefined> => (await run.query(view))?.waitingFor;
    await expect.poll(waitingFor).toBe('waiting until host host-1 is powered off');
    await run.signal(vanished, { uid: snapshot.uid });
    await expect.poll(waitingFor).toContain('it exists: waiting for a new snapshot');
    expect(asked).toEqual([`letHostOn of ${name}, if it is gone`]);
    await run.signal(observed, { snapshot, order: { epoch: 1, number: 2 }, anew: true });
    await expect.poll(waitingFor).toBe('waiting until host host-1 is powered off');
    expect(asked).toHaveLength(1);
    await run.terminate('the test is over');
  });
});
