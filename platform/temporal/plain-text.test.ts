import { expect, test } from 'vitest';
import { readConfig, workersConfig } from '../config/config.ts';
import { plainTextWarning } from './plain-text.ts';

const warned = (env: Readonly<Record<string, string>>): string | undefined =>
  plainTextWarning(readConfig(workersConfig, { ...env, PROVISIONER: 'fixture' }));

test.each(['temporal-frontend.temporal.svc:7233', '10.0.0.7:7233', '[fd00::7]:7233', '127.example.com:7233'])(
  'a Temporal at %s without TLS is warned of',
  (TEMPORAL_ADDRESS) => {
    const words = `the connection to Temporal at ${TEMPORAL_ADDRESS} has no TLS`;
    expect(warned({ TEMPORAL_ADDRESS })).toContain(words);
    expect(warned({ TEMPORAL_ADDRESS, TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'key' })).toContain(words);
    expect(warned({ TEMPORAL_ADDRESS, TEMPORAL_TLS: 'true' })).toBeUndefined();
    expect(warned({ TEMPORAL_ADDRESS, TEMPORAL_API_KEY: 'key' })).toBeUndefined();
  },
);

test.each(['127.0.0.1:7233', '127.8.0.1:7233', 'localhost:7233', '[::1]:7233'])(
  'a Temporal at %s is on the same computer',
  (TEMPORAL_ADDRESS) => {
    expect(warned({ TEMPORAL_ADDRESS })).toBeUndefined();
  },
);
