import { expect, test } from 'vitest';
import { apiRequestsBetween, countApiRequests } from './api-requests.ts';

const sample = (labels: string, value: string): string => `apiserver_request_total{${labels}} ${value}`;

test('requests are summed over response codes, subresources apart', () => {
  const counts = countApiRequests([
    '# TYPE apiserver_request_total counter',
    sample('code="200",resource="baremetalhosts",scope="resource",subresource="",verb="PATCH",version="v1alpha1"', '3'),
    sample('code="409",resource="baremetalhosts",scope="resource",subresource="",verb="PATCH",version="v1alpha1"', '2'),
    sample('code="200",resource="baremetalhosts",scope="resource",subresource="status",verb="PATCH"', '1.2e+03'),
    'apiserver_request_aborts_total{resource="baremetalhosts",verb="PATCH"} 7',
  ]);
  expect(counts).toEqual({ 'PATCH baremetalhosts': 5, 'PATCH baremetalhosts/status': 1_200 });
});

test('counts only what came between two readings, most frequent first', () => {
  const before = { 'GET secrets': 4, 'GET leases': 1 };
  const after = { 'GET secrets': 5, 'GET leases': 1, 'POST events': 2 };
  expect(Object.entries(apiRequestsBetween(before, after))).toEqual([
    ['POST events', 2],
    ['GET secrets', 1],
  ]);
});
