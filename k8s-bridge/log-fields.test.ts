import { pino } from 'pino';
import { expect, test } from 'vitest';
import { KINDS } from '../kube/kinds.ts';
import { createStore } from '../kube/store.ts';
import { createLedger } from './ledger.ts';
import { namingObjects } from './log-fields.ts';

const WRITTEN = {
  run: 'run-1',
  revision: 1,
  viewAt: 0,
  at: 0,
  resourceVersion: '1',
  status: '',
  held: true,
  letGo: false,
};

function logged(fields: object): object {
  const lines: string[] = [];
  const stores = createStore();
  const host = { namespace: 'metal', name: 'host-1', uid: 'uid-1', resourceVersion: '1', object: {} };
  stores.put(KINDS.host, host);
  stores.put(KINDS.dataImage, { ...host, uid: 'uid-2' });
  const ledger = createLedger();
  ledger.of('uid-1').written = { ...WRITTEN, own: {} };
  ledger.of('uid-3').signalled = { essence: '', order: { epoch: 1, number: 1 }, runId: 'run-3' };
  const log = namingObjects(pino({}, { write: (line: string) => void lines.push(line) }), { stores, ledger });
  log.info(fields, 'said');
  return JSON.parse(lines.join('')) as object;
}

test('a line about a host has its namespace, name, uid, workflow and run', () => {
  expect(logged({ kind: 'BareMetalHost', object: 'metal/host-1', retryInMs: 3 })).toMatchObject({
    objectNamespace: 'metal',
    objectName: 'host-1',
    objectUid: 'uid-1',
    workflowId: 'baremetalhost/metal/host-1',
    firstRunId: 'run-1',
    retryInMs: 3,
    msg: 'said',
  });
});

test('a line about an object that is gone has the uid that it was given', () => {
  const line = logged({ kind: 'BareMetalHost', object: 'metal/host-2', objectUid: 'uid-2' });
  expect(line).toMatchObject({ objectName: 'host-2', objectUid: 'uid-2' });
  expect(line).not.toHaveProperty('firstRunId');
  expect(line).not.toHaveProperty('runId');
});

test('a line before the first view has the run that took the snapshot, unless it names another run', () => {
  const about = { kind: 'BareMetalHost', object: 'metal/host-3', objectUid: 'uid-3' };
  expect(logged(about)).toMatchObject({ objectUid: 'uid-3', runId: 'run-3' });
  expect(logged({ ...about, runId: 'run-2', firstRunId: 'run-1' })).toMatchObject({
    runId: 'run-2',
    firstRunId: 'run-1',
  });
});

test('a line about a kind without workflows names no workflow', () => {
  const line = logged({ kind: 'DataImage', object: 'metal/host-1' });
  expect(line).toMatchObject({ objectName: 'host-1', objectUid: 'uid-2' });
  expect(line).not.toHaveProperty('workflowId');
});

test('secrets are masked, and a line about no object gets no fields', () => {
  expect(logged({ password: 'hunter2', kind: 'BareMetalHost' })).toMatchObject({ password: '***' });
  expect(logged({ kind: 'BareMetalHost' })).not.toHaveProperty('objectName');
});
