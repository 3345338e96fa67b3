import { describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig, workersConfig } from './config.ts';

describe('the configuration', () => {
  test('has a default for everything but where Ironic is', () => {
    expect(readConfig(workersConfig, { IRONIC_ENDPOINT: 'http://ironic:6385/v1/' })).toMatchObject({
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      IRONIC_INSECURE: false,
      IRONIC_POLL_INTERVAL: 1_000,
      HEALTH_ADDR: { hostname: '0.0.0.0', port: 9440 },
    });
    expect(readConfig(bridgeConfig, {})).toMatchObject({ WATCH_NAMESPACE: '', ENABLE_LEADER_ELECTION: false });
  });
  test('names every bad or missing value', () => {
    const read = () => readConfig(workersConfig, { IRONIC_POLL_INTERVAL: 'soon', HEALTH_ADDR: 'here' });
    expect(read).toThrow(/IRONIC_ENDPOINT: .*/);
    expect(read).toThrow(/IRONIC_POLL_INTERVAL: .*/);
    expect(read).toThrow(/HEALTH_ADDR: must be host:port/);
  });
  test('takes an empty value for one that is not given', () => {
    expect(readConfig(bridgeConfig, { LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
  });
  test('reads truth in any case of letters', () => {
    const env = { IRONIC_ENDPOINT: 'http://ironic:6385/v1/', IRONIC_INSECURE: 'TRUE' };
    expect(readConfig(workersConfig, env).IRONIC_INSECURE).toBe(true);
  });
});
