import { expect, test } from 'vitest';
import { bridgeConfig, readConfig } from './config.ts';
import { proxiesOf } from './proxy-settings.ts';

const read = (env: Readonly<Record<string, string>>) => {
  const { HTTP_PROXY, HTTPS_PROXY, NO_PROXY } = readConfig(bridgeConfig, env);
  return { HTTP_PROXY, HTTPS_PROXY, NO_PROXY };
};

test('proxies are read in upper and in lower case, and upper case wins', () => {
  const env = {
    http_proxy: 'http://a:1',
    HTTPS_PROXY: 'http://b:2',
    https_proxy: 'http://c:3',
    NO_PROXY: '',
    no_proxy: '.svc',
  };
  const settings = { HTTP_PROXY: 'http://a:1', HTTPS_PROXY: 'http://b:2', NO_PROXY: '.svc' };
  expect(read(env)).toEqual(settings);
  expect(proxiesOf(env)).toEqual(settings);
  expect(proxiesOf({})).toEqual({ NO_PROXY: '' });
});

test('a proxy without a scheme is one with http://', () => {
  expect(proxiesOf({ HTTPS_PROXY: 'proxy.example:3128' }).HTTPS_PROXY).toBe('http://proxy.example:3128');
});

test.each(['socks5://user:canary@proxy:1080', 'http://canary:canary:canary'])(
  'what is no proxy is refused by the name of the variable, and not quoted: %s',
  (value) => {
    const problem = 'HTTPS_PROXY: must be host:port, or a URL with http:// or https://';
    expect(() => read({ https_proxy: value })).toThrow(new Error(`configuration:\n  ${problem}`));
    expect(() => proxiesOf({ https_proxy: value })).toThrow(new Error(problem));
  },
);

test('the proxies of workload clusters are a list', () => {
  const listed = (WORKLOAD_CLUSTER_PROXIES: string) =>
    readConfig(bridgeConfig, { WORKLOAD_CLUSTER_PROXIES }).WORKLOAD_CLUSTER_PROXIES;
  expect(listed('http://a:1, b:2')).toEqual(['http://a:1', 'http://b:2']);
  expect(listed('')).toEqual([]);
  expect(() => listed('http://a:1,ftp://b')).toThrow(/WORKLOAD_CLUSTER_PROXIES.*must be host:port/s);
});
