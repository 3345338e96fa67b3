import { expect, test } from 'vitest';
import { upstreamReport } from './report.ts';

test('the figures of ip-address-manager are printed beside those that were measured', () => {
  const text = upstreamReport();
  expect(text).toContain('ip-address-manager 1f5fa68, 1000 claims');
  expect(text).toMatch(/seconds +│ 21\.4 +│ not ended after 400/);
  expect(text).toMatch(/IPAddresses at the end +│ 1000 +│ 1017/);
  expect(text).toMatch(/CPU s, controller +│ 462/);
});
