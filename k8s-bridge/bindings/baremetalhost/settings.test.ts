import { describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from '../../../platform/config/config.ts';
import { settingsOf } from './settings.ts';

describe('what the operator has configured', () => {
  test('limits the hosts that Ironic works on', () => {
    expect(settingsOf(readConfig(bridgeConfig, { PROVISIONING_LIMIT: '3' })).provisioningLimit).toBe(3);
  });
  test('limits the hosts of the fixture only where it is asked for', () => {
    const config = readConfig(bridgeConfig, { PROVISIONER: 'fixture', FIXTURE_PROVISIONING_LIMIT: '3' });
    expect(settingsOf(config).provisioningLimit).toBe(3);
  });
  test('has room for any number of hosts on the fixture', () => {
    const config = readConfig(bridgeConfig, { PROVISIONER: 'fixture', PROVISIONING_LIMIT: '3' });
    expect(settingsOf(config)).not.toHaveProperty('provisioningLimit');
  });
});
