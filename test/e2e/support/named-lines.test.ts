import { expect, test } from 'vitest';
import { linesAbout, missingIn } from './named-lines.ts';

const about = { namespace: 'metal', hosts: new Map([['uid-1', 'host-1']]), nodes: new Set(['node-1']) };
const isFound = (line: object): boolean => linesAbout(JSON.stringify(line), about).length === 1;

test.each([
  ['in a field of another name', { host: 'metal/host-1' }],
  ['in its text', { msg: 'metal/host-1 was seen' }],
  ['at the end of a sentence', { msg: 'there is no metal/host-1.' }],
  ['in the id of a run', { workflowId: 'baremetalhost/metal/host-1/provision/3' }],
  ['by its uid', { node: 'temporary-fake-id-uid-1' }],
  ['by the id of its node', { err: 'Node node-1 is locked' }],
])('a line that names a host %s is about it', (_, line) => {
  expect(isFound(line)).toBe(true);
});

test.each([
  ['another host', { object: 'metal/host-10' }],
  ['a host of another namespace', { object: 'other/host-1' }],
  ['the Secret of the host', { object: 'metal/host-1-bmc' }],
  ['a file of that name', { stack: 'at activities/metal/host-1.ts:3' }],
  ['no object', { msg: 'watching' }],
])('a line that names %s is not', (_, line) => {
  expect(isFound(line)).toBe(false);
});

test('a line lacks what does not name its host, in the log of the workers also the run', () => {
  const named = { objectNamespace: 'metal', objectName: 'host-1', objectUid: 'uid-1' };
  const missing = (line: Parameters<typeof missingIn>[0], service: 'bridge' | 'workers' = 'bridge') =>
    missingIn(line, { service, namespace: 'metal' });
  expect(missing(named)).toEqual([]);
  expect(missing({ ...named, runId: 'run-1' }, 'workers')).toEqual([]);
  expect(missing(named, 'workers')).toEqual(['runId']);
  expect(missing({ ...named, objectUid: undefined })).toEqual(['objectUid']);
  expect(missing({ ...named, objectNamespace: 'other' })).toEqual(['objectNamespace']);
  expect(missing({ node: 'node-1' }, 'workers')).toEqual(['objectNamespace', 'objectName', 'objectUid', 'runId']);
});
