import { expect, test } from 'vitest';
import { failCountWritten } from './fail-count.ts';

const NOW = 1_000;
const written = { at: NOW, resourceVersion: '10', failCount: 5 };
const seen = (resourceVersion: string, count: unknown) => ({
  resourceVersion,
  status: { provisioningFailCount: count },
});

test.each([
  ['written by somebody else after us', seen('11', 0), written, 0],
  ['as we wrote it', seen('11', 5), written, undefined],
  ['as we are just writing it', seen('11', 6), { ...written, coming: 6 }, undefined],
  ['that somebody else wrote while we write', seen('11', 0), { ...written, coming: 6 }, 0],
  ['older than what we wrote', seen('9', 0), written, undefined],
  ['that is no count', seen('11', -1), written, undefined],
  ['that is no number', seen('11', 'none'), written, undefined],
  ['of a host that we have not written to yet', seen('11', 0), undefined, undefined],
  ['of a host without a status', { resourceVersion: '11', status: {} }, written, undefined],
])('a count of failed deployments %s', (_, host, before, expected) => {
  expect(failCountWritten(host, before, NOW)).toBe(expected);
});

test('a count that is older than what we wrote counts when it stays so: the API server was set back', () => {
  expect(failCountWritten(seen('9', 0), written, NOW + 10_000)).toBe(0);
});
