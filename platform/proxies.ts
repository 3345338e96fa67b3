import { BlockList, isIP } from 'node:net';
import { Agent, type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { ProxyConfig } from './config/proxy-settings.ts';

/**
 * The URL of the proxy for a server; undefined: none. The rules are those of Go's programs, such as `kubectl` and
 * Metal3's operators: loopback never goes through a proxy, and NO_PROXY may have networks.
 */
export function proxyFor(server: string, { HTTP_PROXY, HTTPS_PROXY, NO_PROXY }: ProxyConfig): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const proxy = protocol === 'https:' ? HTTPS_PROXY : HTTP_PROXY;
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const asked = { host, port: port || (protocol === 'https:' ? '443' : '80') };
  return proxy === undefined || isLoopback(host) || isExempt(asked, NO_PROXY) ? undefined : proxy;
}

interface Asked {
  readonly host: string;
  readonly port: string;
}

const isLoopback = (host: string): boolean => host === 'localhost' || isWithin(host, '127.0.0.0/8') || host === '::1';

const isExempt = (asked: Asked, noProxy: string): boolean =>
  noProxy
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(asked, entry.toLowerCase()));

function matches({ host, port }: Asked, entry: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(host, entry);
  const { name, onlyPort } = parts(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name) !== 0) return host === name;
  const suffix = name.replace(/^\*?\./, '');
  return host.endsWith(`.${suffix}`) || (name === suffix && host === suffix);
}

/** An address of IPv6 has its port behind brackets. */
function parts(entry: string): { readonly name: string; readonly onlyPort: string | undefined } {
  const [, inBrackets, afterBrackets] = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? [];
  if (inBrackets !== undefined) return { name: inBrackets, onlyPort: afterBrackets };
  const [, name = entry, onlyPort] = /^([^:]+):(\d+)$/.exec(entry) ?? [];
  return { name, onlyPort };
}

/** False for a network that is malformed, and for a name. */
function isWithin(host: string, network: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const [family, own] = [isIP(host), isIP(address)];
  if (family === 0 || own === 0 || !/^\d+$/.test(bits) || Number(bits) > (own === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), own === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

/** What connections through a proxy need, too. */
type AgentOptions = Agent.Options & { readonly connect: buildConnector.BuildOptions & { readonly timeout: number } };

/** Connections to a server, through the proxy if there is one: with a tunnel to a server with TLS. */
export function connectionsVia(proxy: string | undefined, options: AgentOptions): Dispatcher {
  if (proxy === undefined) return new Agent(options);
  const { connect, ...others } = options;
  const { timeout } = connect;
  return new ProxyAgent({
    ...others,
    uri: proxy,
    requestTls: connect,
    proxyTls: { timeout },
    // Without it, the limits would not hold for requests without a tunnel.
    factory: (origin, ofPool: Pool.Options) => new Pool(origin, { ...others, ...ofPool }),
    // A proxy that accepts connections and opens no tunnel is like a server that accepts none.
    clientFactory: (origin, ofClient) => new Pool(origin, { ...ofClient, headersTimeout: timeout }),
  });
}
