import { expect, test } from 'vitest';
import { eventCounted } from './events.ts';

const counted = (reason: string, message = '') =>
  eventCounted({ namespace: 'metal', name: 'node-1' }, { id: '1', reason, message });

test.each([
  'RegistrationError',
  'InspectionError',
  'PreparationError',
  'ProvisioningError',
  'PowerManagementError',
  'ProvisionedRegistrationError',
  'ServicingError',
])('an event %s is a failure of a host', (reason) => {
  expect(counted(reason)).toEqual([{ name: 'metal3_host_error_total', labels: { error_type: reason } }]);
});

test.each([
  ['PowerOn', 'on'],
  ['PowerOff', 'off'],
])('an event %s is a change of power', (reason, on_off) => {
  const labels = { namespace: 'metal', host: 'node-1', on_off };
  expect(counted(reason)).toEqual([{ name: 'metal3_operation_power_change_total', labels }]);
});

test('distinguishes missing credentials from invalid ones', () => {
  const missing = "BMC CredentialsName secret doesn't exist The BMC secret metal/node-1-bmc does not exist";
  expect(counted('BMCCredentialError', missing)).toEqual([{ name: 'metal3_credentials_missing_total', labels: {} }]);
  const invalid = "Validation error with BMC credentials: Missing BMC connection detail 'username' in credentials";
  expect(counted('BMCCredentialError', invalid)).toEqual([{ name: 'metal3_credentials_invalid_total', labels: {} }]);
});

test.each(['Registered', 'InspectionStarted', 'ProvisioningComplete', ''])('an event %j counts nothing', (reason) => {
  expect(counted(reason)).toEqual([]);
});
