import { expect, test } from 'vitest';
import { DEFAULT_IRONIC_SETTINGS } from '../activities/ironic/settings.ts';
import { readConfig, workersConfig } from '../platform/config/config.ts';
import { settingsOf } from './provisioner.ts';

const read = (more: object = {}) =>
  settingsOf(readConfig(workersConfig, { IRONIC_ENDPOINT: 'http://ironic:6385/v1/', ...more }));

test('how long a request without an answer is waited for is the operator’s to say', () => {
  expect(read().patience).toEqual(DEFAULT_IRONIC_SETTINGS.patience);
  expect(read({ IRONIC_LONGEST_REQUEST: '5m', IRONIC_LOCK_DEADLINE: '1h' }).patience).toEqual({
    longestRequestMs: 300_000,
    lockDeadlineMs: 3_600_000,
  });
  expect(() => read({ IRONIC_LONGEST_REQUEST: '0s' })).toThrow('IRONIC_LONGEST_REQUEST');
});
