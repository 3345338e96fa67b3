import { expect, test } from 'vitest';
import { linesAbout } from './named-lines.ts';

const about = { namespace: 'metal', hosts: new Map([['uid-1', 'host-1']]) };
const isFound = (line: object): boolean => linesAbout(JSON.stringify(line), about).length === 1;

test.each([
  ['in a field of another name', { host: 'metal/host-1' }],
  ['in its text', { msg: 'metal/host-1 was seen' }],
  ['at the end of a sentence', { msg: 'there is no metal/host-1.' }],
  ['in the id of a run', { workflowId: 'baremetalhost/metal/host-1/provision/3' }],
  ['by its uid', { node: 'temporary-fake-id-uid-1' }],
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
