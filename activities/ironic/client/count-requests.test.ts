import { expect, test } from 'vitest';
import { countingRequests, type IronicRequestCount } from './count-requests.ts';

test.each([
  ['/v1/nodes?limit=10', 'nodes'],
  ['/v1/nodes/1be2/states/provision', 'nodes/states/provision'],
  ['/v1/nodes/host-1', 'nodes'],
  ['/v1/nodes/host~1/vmedia', 'nodes/vmedia'],
  ['/v1/ports/detail?node_uuid=1', 'ports'],
  ['/v1', ''],
])('the request %s is counted as %s, without names', (path, kind) => {
  const counts: IronicRequestCount[] = [];
  countingRequests((count) => void counts.push(count))({ method: 'GET', path }, '200');
  expect(counts).toEqual([{ name: 'temper_ironic_requests_total', labels: { method: 'GET', kind, code: '200' } }]);
});
