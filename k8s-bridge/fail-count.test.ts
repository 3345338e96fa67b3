import { expect, test } from 'vitest';
import { failCountWritten } from './fail-count.ts';
import type { Written } from './ledger.ts';
import type { HostEntry } from './watch.ts';

const written: Written = {
  run: 'run',
  revision: 1,
  at: 0,
  resourceVersion: '10',
  hardwareVersion: '',
  status: { provisioningFailCount: 5 },
  finalizer: true,
};
const entry = (resourceVersion: string, count: unknown): HostEntry => ({
  namespace: 'metal',
  name: 'node-1',
  uid: 'u',
  resourceVersion,
  secrets: [],
  object: { status: { provisioningFailCount: count } },
});

test.each([
  ['written by somebody else after us', entry('11', 0), written, 0],
  ['as we wrote it', entry('11', 5), written, undefined],
  ['older than what we wrote', entry('9', 0), written, undefined],
  ['that is no count', entry('11', -1), written, undefined],
  ['that is no number', entry('11', 'none'), written, undefined],
  ['of a host that we have not written to yet', entry('11', 0), undefined, undefined],
  ['of a host without a status', { ...entry('11', 0), object: {} }, written, undefined],
])('a count of failed deployments %s', (_, host, before, expected) => {
  expect(failCountWritten(host, before)).toBe(expected);
});
