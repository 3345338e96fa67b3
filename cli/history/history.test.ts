import { describe, expect, test } from 'vitest';
import { type OperationResult, resultsValue } from '../../domain/host/results/results.ts';
import { type HistoryEntry, historyValue } from '../../domain/steering/history.ts';
import { KubeError } from '../../kube/client.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { requested } from '../command-line.ts';
import { createReading } from '../reading.ts';
import { historyOfObject } from './history.ts';
import { type History, historyLines } from './lines.ts';
import { historyCommand } from './options.ts';
import type { OperationRun } from './runs.ts';

const at = (minutes: number): string => `2026-01-01T00:${String(minutes).padStart(2, '0')}:00Z`;
const MESSAGE: HistoryEntry = { at: at(1), what: 'quarantine', by: 'ada', reason: 'loud', open: true };
const INSPECTED: OperationResult = {
  what: 'inspect',
  result: 'done',
  start: at(2),
  end: at(5),
  tookMs: 9_000,
  failures: 1,
};
const PROVISIONED: OperationResult = {
  what: 'provision',
  result: 'failed',
  start: at(6),
  end: at(50),
  tookMs: 2_000,
  says: 'no \u001b[31mimage',
  failures: 3,
  for: 'Metal3Machine metal/worker-1',
  asked: 'retry by ada: again',
};
const RUN: OperationRun = {
  id: 'baremetalhost/metal/node-1/provision/4',
  status: 'FAILED',
  start: at(40),
  end: at(41),
  error: 'no image',
};
const ANNOTATIONS = {
  'temper/history': historyValue([MESSAGE]),
  'temper/operations': resultsValue([INSPECTED, PROVISIONED]),
};
const operationHistory = {
  register: { start: at(0), end: at(1) },
  inspect: { start: at(2), end: at(5) },
  deprovision: { start: at(55) },
};

/** A host and its machine; `refused`: what may not be read has this in its path. */
async function aReading(refused = 'nothing'): Promise<ReturnType<typeof createReading>> {
  const { kube } = objectsInMemory();
  const metadata = { name: 'node-1', namespace: 'metal', annotations: ANNOTATIONS };
  const host = { metadata, status: { operationHistory } };
  const machine = (name: string, of?: string): object => ({
    metadata: { name, namespace: 'metal', annotations: of === undefined ? {} : { 'metal3.io/BareMetalHost': of } },
  });
  const put = (kind: FollowedKind, body: object): Promise<unknown> =>
    kube.request({ method: 'POST', path: collectionPath(kind, 'metal'), body });
  await put(KINDS.host, host);
  await put(KINDS.metal3Machine, machine('worker-1', 'metal/node-1'));
  await put(KINDS.metal3Machine, machine('worker-2', 'metal/node-1'));
  await put(KINDS.metal3Machine, machine('worker-3'));
  const asked = { 'temper/history': historyValue([MESSAGE]), 'metal3.io/BareMetalHost': 'metal/node-2' };
  await put(KINDS.openShiftMachine, { metadata: { name: 'worker-4', namespace: 'metal', annotations: asked } });
  await put(KINDS.host, {
    metadata: {
      name: 'node-2',
      namespace: 'metal',
      annotations: {
        'temper/operations': resultsValue([INSPECTED, { ...PROVISIONED, for: 'Machine metal/worker-4' }]),
      },
    },
  });
  return createReading({
    async find(path) {
      if (path.includes(refused))
        throw new KubeError(`GET ${path}`, 403, { reason: 'Forbidden', message: 'it is forbidden' });
      return kube.find(path);
    },
    request: (call) => kube.request(call),
  });
}
const of = (name: string, kind: 'host' | 'machine' = 'host') => ({ kind, name, namespace: 'metal' });
const EMPTY: History = { messages: [], operations: [], operationHistory: {}, unread: [] };

describe('the history of a host', () => {
  test('has messages, operations and their results in their order, and the attempts that Temporal has', async () => {
    const found = await historyOfObject(of('node-1'), await aReading(), () => Promise.resolve([RUN]));
    expect(historyLines(found ?? EMPTY)).toEqual([
      `${at(0)}  register: took 60 s; its result was not kept`,
      `${at(1)}  quarantine by ada: loud (holds)`,
      `${at(2)}  inspect: done after 9 s, 1 attempt failed before`,
      `${at(6)}  provision: 3 attempts failed, the last after 2 s: no [31mimage; for Metal3Machine metal/worker-1; retry by ada: again`,
      `${at(55)}  deprovision: not ended yet`,
      '',
      'Attempts whose runs Temporal still has',
      `  ${at(40)}  failed after 60 s  baremetalhost/metal/node-1/provision/4: no image`,
    ]);
  });

  test('is what is on the object for somebody without Temporal, and says so', async () => {
    const reading = await aReading();
    const why = await historyOfObject(of('node-1'), reading, () => Promise.resolve('TEMPORAL_ADDRESS is not set'));
    expect(why).toMatchObject({ messages: [MESSAGE], operations: [INSPECTED, { what: 'provision' }] });
    expect(why).not.toHaveProperty('runs');
    expect(historyLines(why ?? EMPTY).slice(-2)).toEqual([
      'Not looked at',
      '  runs in Temporal: TEMPORAL_ADDRESS is not set',
    ]);
    expect(await historyOfObject(of('node-1'), reading, undefined)).toMatchObject({ unread: [] });
  });

  test('tells operations without a start, and those that came to no end of their own', () => {
    const power: OperationResult = { what: 'power', result: 'done', end: at(3), says: 'Host powered off' };
    const left: OperationResult = { what: 'provision', result: 'ended', start: at(4), end: at(5) };
    const changed: OperationResult = { ...left, start: at(5), tookMs: 12_000, says: 'spec.image changed' };
    const deleting: OperationResult = { what: 'delete', result: 'failed', end: at(6), failures: 1 };
    const deleted: OperationResult = { what: 'delete', result: 'done', start: at(7), end: at(9) };
    expect(historyLines({ ...EMPTY, operations: [deleting, power, left, changed, deleted] })).toEqual([
      `${at(3)}  power: done: Host powered off`,
      `${at(4)}  provision: ended 60 s after it began`,
      `${at(5)}  provision: ended: spec.image changed, after 12 s`,
      `${at(6)}  delete: 1 attempt failed`,
      `${at(7)}  delete: done 2 min after it was asked for`,
    ]);
    expect(historyLines(EMPTY)).toEqual(['nothing yet']);
  });

  test('is that of its runs once the host is deleted, as long as Temporal has them', async () => {
    const deleted: OperationRun = {
      id: 'baremetalhost/metal/gone/delete/7',
      status: 'COMPLETED',
      start: at(1),
      end: at(2),
    };
    const told = async (runs: readonly OperationRun[] | string): Promise<readonly string[] | undefined> => {
      const found = await historyOfObject(of('gone'), await aReading(), () => Promise.resolve(runs));
      return found && historyLines(found);
    };
    expect(await told([deleted])).toEqual([
      'BareMetalHost metal/gone does not exist (any more), and its lists went with it',
      '',
      'Attempts whose runs Temporal still has',
      `  ${at(1)}  completed after 60 s  baremetalhost/metal/gone/delete/7`,
    ]);
    expect(await told([])).toBeUndefined();
    expect(await told('TEMPORAL_ADDRESS is not set')).toBeUndefined();
  });

  test('says of a run that was cancelled why', () => {
    const because = 'host deleted';
    const run = { id: 'x/provision/2', status: 'CANCELLED', start: at(1), end: at(2), because };
    expect(historyLines({ ...EMPTY, runs: [run] }).at(-1)).toBe(
      `  ${at(1)}  cancelled after 60 s  x/provision/2: ended: host deleted`,
    );
  });

  test('is none without a host, or without the right to read it', async () => {
    expect(await historyOfObject(of('nobody'), await aReading(), undefined)).toBeUndefined();
    const refusing = await aReading('baremetalhosts');
    expect(await historyOfObject(of('node-1'), refusing, undefined)).toBeUndefined();
    expect(refusing.unread).toEqual([expect.stringContaining('it is forbidden')]);
  });
});

describe('the history of a machine', () => {
  test('has what its host has done for it', async () => {
    const reading = await aReading();
    const operationsOf = async (name: string): Promise<unknown> =>
      (await historyOfObject(of(name, 'machine'), reading, undefined))?.operations;
    expect(await operationsOf('worker-1')).toMatchObject([{ what: 'provision' }]);
    expect(await operationsOf('worker-2')).toEqual([]);
    expect(await operationsOf('worker-3')).toEqual([]);
  });

  test('is that of a Machine of the Machine API where there is no Metal3Machine of the name', async () => {
    const found = await historyOfObject(of('worker-4', 'machine'), await aReading(), undefined);
    expect(found).toMatchObject({ messages: [MESSAGE], operations: [{ what: 'provision' }], unread: [] });
    expect(await historyOfObject(of('nobody', 'machine'), await aReading(), undefined)).toBeUndefined();
  });

  test('says when its host may not be read', async () => {
    const found = await historyOfObject(of('worker-1', 'machine'), await aReading('baremetalhosts'), undefined);
    expect(found).toMatchObject({ operations: [], unread: [expect.stringContaining('it is forbidden')] });
  });
});

test('the command line names a host and a format', () => {
  const request = { name: 'node-1', output: 'json', objectsOnly: true };
  expect(requested(historyCommand, ['host', 'node-1', '-o', 'json', '--objects-only'])).toMatchObject(request);
  expect(requested(historyCommand, ['host'])).toBeUndefined();
  expect(requested(historyCommand, ['host', 'node-1', '-o', 'xml'])).toBeUndefined();
});
