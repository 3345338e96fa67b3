import { expect, test } from 'vitest';
import { modelOf } from './model.ts';

test.each([
  [{ manufacturer: 'Dell Inc.', productName: 'PowerEdge R640' }, '', 'Dell Inc. PowerEdge R640'],
  [{ manufacturer: '', productName: 'DL380' }, '', 'DL380'],
  [{ productName: 'a\n\u0000b' }, '', 'a b'],
  [{ productName: 'x'.repeat(200) }, '', 'x'.repeat(64)],
  [{}, 'redfish-virtualmedia+https://10.0.0.1/redfish/v1/Systems/1', 'unknown, redfish-virtualmedia+https'],
  [{}, '10.0.0.1', 'unknown, ipmi'],
  [{}, 'odd://', 'unknown'],
])('the model of %j with the BMC %j is %j', (hardware, address, model) => {
  expect(modelOf(hardware, address)).toBe(model);
});
