import { describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig, watchedNamespaces } from './config.ts';
import { discoveryOf } from './discovery-settings.ts';

function read(env: Readonly<Record<string, string>>) {
  const config = readConfig(bridgeConfig, env);
  return discoveryOf(config, watchedNamespaces(config));
}
const ON = { DISCOVERY_ENABLED: 'true', DISCOVERY_MAC_PREFIXES: '52:54:00' };

describe('the settings of discovery', () => {
  test('turn it off by default', () => {
    expect(read({ DISCOVERY_MAC_PREFIXES: '*' })).toBeUndefined();
  });

  test('need no more than one list of machines', () => {
    expect(read(ON)).toEqual({
      namespace: 'default',
      allowed: { macPrefixes: ['52:54:00'], bmcNetworks: [], rules: [] },
      hostName: 'discovered-{mac}',
      labels: {},
      limit: 10,
      maxHosts: 100,
      returnAfterMs: 600_000,
    });
  });

  test('are read as written', () => {
    const env = {
      DISCOVERY_RULES: 'vendor=Lab*,memory>=64',
      DISCOVERY_HOST_NAME: 'r1-{serial}',
      DISCOVERY_LABELS: 'rack=r1, example.com/new=',
      DISCOVERY_RETURN_AFTER: '1h',
    };
    expect(read({ ...ON, ...env })).toMatchObject({
      allowed: {
        rules: [
          { key: 'vendor', pattern: 'Lab*' },
          { key: 'memory', atLeast: 64 },
        ],
      },
      hostName: 'r1-{serial}',
      labels: { rack: 'r1', 'example.com/new': '' },
      returnAfterMs: 3_600_000,
    });
  });

  test.each([
    ['the first watched namespace', { WATCH_NAMESPACE: 'metal, other' }, 'metal'],
    ['a watched namespace', { WATCH_NAMESPACE: 'metal,other', DISCOVERY_NAMESPACE: 'other' }, 'other'],
    ['any namespace, when all are watched', { DISCOVERY_NAMESPACE: 'other' }, 'other'],
  ])('put hosts into %s', (_, env, namespace) => {
    expect(read({ ...ON, ...env })).toMatchObject({ namespace });
  });

  test.each([
    [{ DISCOVERY_ENABLED: 'true' }, 'DISCOVERY_ENABLED: requires DISCOVERY_MAC_PREFIXES, DISCOVERY_BMC_NETWORKS or'],
    [{ ...ON, WATCH_NAMESPACE: 'metal', DISCOVERY_NAMESPACE: 'other' }, 'DISCOVERY_NAMESPACE: is not one of'],
    [{ ...ON, DISCOVERY_MAC_PREFIXES: 'x' }, "DISCOVERY_MAC_PREFIXES: 'x' is no beginning of a MAC address"],
    [{ ...ON, DISCOVERY_RULES: 'x' }, "DISCOVERY_RULES: 'x' is no rule"],
    [{ ...ON, DISCOVERY_HOST_NAME: '{x}' }, 'DISCOVERY_HOST_NAME: {x} is not one of'],
    [{ ...ON, DISCOVERY_LABELS: 'a b=c' }, "DISCOVERY_LABELS: 'a b=c' is no label"],
    [{ ...ON, DISCOVERY_LIMIT: '0' }, 'DISCOVERY_LIMIT: '],
  ])('%# that contradict each other or are malformed are named', (env, message) => {
    expect(() => read(env)).toThrow(message);
  });
});
