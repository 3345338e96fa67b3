/** The port that the SDK takes when the address has none. */
const DEFAULT_PORT = 7233;

export interface HostAndPort {
  /** An address of IPv6 has no brackets. */
  readonly host: string;
  readonly port: number;
}

/** Host and port of `host:port`, `host` or `[IPv6]:port`. */
export function splitAddress(address: string): HostAndPort {
  const { hostname, port } = new URL(`temporal://${address}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || DEFAULT_PORT) };
}

export const joinAddress = ({ host, port }: HostAndPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
