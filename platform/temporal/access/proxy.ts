import type { ProxyConfig } from '../../config/proxy-settings.ts';
import { proxyFor } from '../../proxies.ts';
import type { HostAndPort } from './address.ts';

/** A proxy that opens tunnels. */
export interface TemporalProxy extends HostAndPort {
  readonly login: { readonly username: string; readonly password: string } | undefined;
}

/**
 * The proxy for Temporal at this address; undefined: none. As for other programs with gRPC, it is that of servers with
 * TLS. Throws when gRPC cannot use it.
 */
export function temporalProxy(address: string, config: ProxyConfig): TemporalProxy | undefined {
  const proxy = proxyFor(`https://${address}`, config);
  if (proxy === undefined) return undefined;
  const { protocol, hostname, port, username, password } = new URL(proxy);
  if (protocol !== 'http:')
    throw new Error('configuration:\n  HTTPS_PROXY: Temporal is reached through a proxy with http:// only');
  const login = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 80),
    login: username === '' ? undefined : login,
  };
}
