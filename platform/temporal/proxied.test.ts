import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { aBusyTemporal } from '../../test/builders/busy-temporal.ts';
import { openConnectProxy } from '../../test/builders/connect-proxy.ts';
import { bridgeConfig, readConfig } from '../config/config.ts';
import { openTemporalAccess, type TemporalAccess } from './access/access.ts';
import { connectClientOnce } from './client.ts';
import { connectWorker } from './clients.ts';

const ADDRESS = 'temporal.invalid:7233';
const log = pino({ level: 'silent' });
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(env: Readonly<Record<string, string>>): Promise<TemporalAccess> {
  const access = await openTemporalAccess(
    readConfig(bridgeConfig, { TEMPORAL_ADDRESS: ADDRESS, ...env }),
    log,
    () => undefined,
  );
  closing.push(() => access.close());
  return access;
}
async function aProxy(login?: string) {
  const server = await aBusyTemporal();
  const proxy = await openConnectProxy({ [ADDRESS]: server.address }, login);
  closing.push(() => server.close());
  closing.push(() => proxy.close());
  return proxy;
}

describe('Temporal, whose name only a proxy resolves', () => {
  test('is reached by clients and workers through the proxy, with its login', async () => {
    const proxy = await aProxy('user:p@ss');
    const access = await open({ HTTPS_PROXY: `http://user:p%40ss@${proxy.address}` });
    const client = await connectClientOnce(access);
    await client.connection.close();
    expect(proxy.tunnels).toEqual([ADDRESS]);
    const { connection } = await connectWorker(access, log);
    await connection.close();
    expect(proxy.tunnels).toEqual([ADDRESS, ADDRESS]);
  });

  test('is not reached with the wrong login, and the error names the proxy and its answer', async () => {
    const proxy = await aProxy('user:password');
    const access = await open({ HTTPS_PROXY: `http://user:canary@${proxy.address}` });
    const problem = await connectClientOnce(access).catch(String);
    expect(problem).toBe(
      `Error: connecting to Temporal at ${ADDRESS} through the proxy ${proxy.address}: the proxy answers 407 Proxy Authentication Required`,
    );
  });

  test('is not reached while the name of the proxy does not resolve, and the error says so', async () => {
    const access = await open({ HTTPS_PROXY: 'http://proxy.invalid:3128' });
    await expect(connectClientOnce(access)).rejects.toThrow(
      `connecting to Temporal at ${ADDRESS} through the proxy proxy.invalid:3128: the name proxy.invalid does not resolve`,
    );
  });

  test('is not reached through a proxy when NO_PROXY names it', async () => {
    const proxy = await aProxy();
    const access = await open({ HTTPS_PROXY: `http://${proxy.address}`, NO_PROXY: 'temporal.invalid' });
    await expect(connectClientOnce(access)).rejects.toThrow(/the name temporal\.invalid does not resolve/);
    expect(proxy.tunnels).toEqual([]);
  });

  test('is not reached through a proxy with TLS, which gRPC does not know: the start fails', async () => {
    await expect(open({ HTTPS_PROXY: 'https://proxy.example:3128' })).rejects.toThrow(
      'configuration:\n  HTTPS_PROXY: Temporal is reached through a proxy with http:// only',
    );
    await expect(open({ HTTPS_PROXY: 'https://proxy.example', NO_PROXY: 'temporal.invalid' })).resolves.toBeDefined();
  });
});
