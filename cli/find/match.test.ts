import { describe, expect, test } from 'vitest';
import { type HostMarks, markNamed } from './match.ts';

const MARKS: HostMarks = {
  name: 'host-1',
  uid: '5f8b4c1e-0000-4000-8000-000000000001',
  nodeId: 'b50b8142-0000-4000-8000-000000000002',
  bmcAddress: 'redfish-virtualmedia+https://10.0.0.5:8443/redfish/v1/Systems/437XR1138R2',
  macs: ['52:54:00:00:01:02', '52:54:00:AA:BB:CC'],
  serialNumber: 'CZJ123',
  consumer: 'worker-1',
};

describe('a host is known by', () => {
  test.each([
    ['host-1', 'its name'],
    ['5f8b4c1e-0000-4000-8000-000000000001', 'its uid'],
    ['B50B8142-0000-4000-8000-000000000002', 'its node in Ironic'],
    ['czj123', 'its serial number'],
    ['worker-1', 'its machine'],
    ['52:54:00:00:01:02', 'the MAC address 52:54:00:00:01:02'],
    ['52-54-00-aa-bb-cc', 'the MAC address 52:54:00:AA:BB:CC'],
    ['5254.0000.0102', 'the MAC address 52:54:00:00:01:02'],
    ['525400000102', 'the MAC address 52:54:00:00:01:02'],
    [MARKS.bmcAddress, `the BMC address ${MARKS.bmcAddress}`],
    ['10.0.0.5', `the BMC address ${MARKS.bmcAddress}`],
    ['10.0.0.5:8443', `the BMC address ${MARKS.bmcAddress}`],
    ['437XR1138R2', `the BMC address ${MARKS.bmcAddress}`],
  ])('%s: %s', (text, mark) => {
    expect(markNamed(MARKS, text)).toBe(mark);
  });

  test.each(['', 'host', '10.0.0.50', '10.0.0', 'redfish', '52:54:00:00:01', 'worker'])(
    'no part of a mark, as %s',
    (text) => {
      expect(markNamed(MARKS, text)).toBeUndefined();
    },
  );

  test.each([
    ['ipmi://10.0.0.6', '10.0.0.6'],
    ['10.0.0.6', '10.0.0.6'],
    ['idrac-redfish://[fd00::6]/redfish/v1/Systems/1/', 'fd00::6'],
    ['redfish://[fd00::6]:8000', '[fd00::6]:8000'],
    ['redfish://bmc-7.example.com/redfish/v1/Systems/1', 'bmc-7.example.com'],
  ])('the host in the BMC address %s', (bmcAddress, text) => {
    expect(markNamed({ ...MARKS, bmcAddress }, text)).toBe(`the BMC address ${bmcAddress}`);
  });
});

test('a host without a mark is not known by nothing', () => {
  const none = { name: '', uid: '', nodeId: '', bmcAddress: '', macs: [''], serialNumber: '', consumer: '' };
  expect(markNamed(none, '')).toBeUndefined();
});
