import type { AllowList } from './allow-list.ts';

/** What an operator says about discovery. */
export interface DiscoverySettings {
  /** Namespace of the new hosts. */
  readonly namespace: string;
  readonly allowed: AllowList;
  /** Pattern of host names, with placeholders such as `{mac}`. */
  readonly hostName: string;
  /** Labels of new hosts besides our own. */
  readonly labels: Readonly<Record<string, string>>;
  /** New hosts in a minute. */
  readonly limit: number;
  /** Discovered hosts that wait for BMC details at the same time. */
  readonly maxHosts: number;
  /** A machine whose host was deleted is discovered again only when it boots at least this long (ms) after that. */
  readonly returnAfterMs: number;
}
