import { describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig } from './config.ts';
import { usesTls } from './temporal-settings.ts';

const read = (env: NodeJS.ProcessEnv) => readConfig(bridgeConfig, env);

describe('the connection to Temporal', () => {
  test.each([
    ['nothing', {}, false],
    ['TEMPORAL_TLS=true', { TEMPORAL_TLS: 'true' }, true],
    ['a server name', { TEMPORAL_TLS_SERVER_NAME: 'temporal.example' }, true],
    ['a CA', { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/ca' }, true],
    ['an API key', { TEMPORAL_API_KEY: 'key' }, true],
    [
      'an API key, for a proxy on the same host that adds TLS',
      { TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' },
      false,
    ],
  ])('with %s uses TLS or not', (_, env, expected) => {
    expect(usesTls(read(env))).toBe(expected);
  });

  test.each([
    [
      'a text together with its file',
      { TEMPORAL_API_KEY: 'key', TEMPORAL_API_KEY_PATH: '/key' },
      'TEMPORAL_API_KEY: cannot be given together with TEMPORAL_API_KEY_PATH',
    ],
    [
      'a certificate without its key',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/crt' },
      'TEMPORAL_TLS_CLIENT_KEY_PATH: is required for a client certificate',
    ],
    [
      'a key without its certificate',
      { TEMPORAL_TLS_CLIENT_KEY_DATA: 'key' },
      'TEMPORAL_TLS_CLIENT_CERT_PATH: is required for a client key',
    ],
    [
      'TLS that is turned off together with a CA',
      { TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/ca' },
      'TEMPORAL_TLS: cannot be false together with TEMPORAL_TLS_SERVER_CA_CERT_PATH',
    ],
  ])('refuses %s', (_, env, problem) => {
    expect(() => read(env)).toThrow(problem);
  });
});
