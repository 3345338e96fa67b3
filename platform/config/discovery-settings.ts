import { z } from 'zod';
import { parseBmcNetworks, parseMacPrefixes, parseRules } from '../../domain/discovery/allow-list.ts';
import { DEFAULT_HOST_NAME, problemOfPattern } from '../../domain/discovery/host-name.ts';
import type { DiscoverySettings } from '../../domain/discovery/settings.ts';
import { messageOf } from '../../domain/message-of.ts';
import { booleanSetting, count, duration, optionalText, split } from './config-values.ts';

/** The settings of discovery (docs/discovery.md). */

/** A text that `parse` turns into a list; it throws, with words, for a text that it does not understand. */
const list = <Value>(parse: (text: string) => readonly Value[], description: string) =>
  z
    .string()
    .default('')
    .transform((text, context): readonly Value[] => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: messageOf(error) });
        return z.NEVER;
      }
    })
    .describe(description);

const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_KEY = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function parseLabels(text: string): readonly (readonly [string, string])[] {
  return split(text).map((entry) => {
    const [key = '', value = '', ...more] = entry.split('=');
    if (entry.includes('=') && more.length === 0 && LABEL_KEY.test(key) && LABEL_VALUE.test(value)) return [key, value];
    throw new Error(`'${entry}' is no label such as rack=r1`);
  });
}

export const discoverySettings = {
  DISCOVERY_ENABLED: booleanSetting(
    'create hosts for machines that Ironic has enrolled by itself, see [discovery.md](discovery.md); needs one of the next three',
  ),
  DISCOVERY_MAC_PREFIXES: list(
    parseMacPrefixes,
    'beginnings of boot MAC addresses of machines that may become hosts, comma-separated; `*`: any. Every list of these three that is set must match',
  ),
  DISCOVERY_BMC_NETWORKS: list(
    parseBmcNetworks,
    'addresses and networks of the BMCs of machines that may become hosts, comma-separated',
  ),
  DISCOVERY_RULES: list(
    parseRules,
    'rules about the inventory of machines that may become hosts, comma-separated, for example `vendor=Dell*,memory>=64`. Keys: `vendor`, `product`, `serial`, `hostname`, `architecture` with `=` and a pattern, `memory` (GiB) and `cpus` with `>=`. Rules with the same key are alternatives',
  ),
  DISCOVERY_NAMESPACE: optionalText(
    'namespace of discovered hosts; default: the first watched namespace, else `default`',
  ),
  DISCOVERY_HOST_NAME: z
    .string()
    .default(DEFAULT_HOST_NAME)
    .superRefine((pattern, context) => {
      const problem = problemOfPattern(pattern);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .describe(
      'pattern of their names, with `{mac}`, `{serial}`, `{vendor}`, `{product}`, `{hostname}`; when another host has the name, the MAC address is appended',
    ),
  DISCOVERY_LABELS: list(
    parseLabels,
    'labels of discovered hosts besides `temper.metal3.io/discovered`, comma-separated, for example `rack=r1`',
  ),
  DISCOVERY_LIMIT: count(10, 'hosts that are discovered in a minute'),
  DISCOVERY_MAX_HOSTS: count(100, 'discovered hosts that wait for BMC details at the same time'),
  DISCOVERY_RETURN_AFTER: duration(
    '10m',
    (ms) => ms >= 0,
    '0 or more',
    'a machine whose host was deleted is discovered again only when it boots at least this long after that; at most the retention of the Temporal namespace',
  ),
};

const read = z.object(discoverySettings);
export type DiscoveryConfig = z.infer<typeof read>;

/** True when a list names machines: without any list, every machine that reaches Ironic would become a host. */
export const namesMachines = (config: DiscoveryConfig): boolean =>
  !config.DISCOVERY_ENABLED ||
  config.DISCOVERY_MAC_PREFIXES.length + config.DISCOVERY_BMC_NETWORKS.length + config.DISCOVERY_RULES.length > 0;

/** undefined: discovery is off. */
export function discoveryOf(config: DiscoveryConfig, namespaces: readonly string[]): DiscoverySettings | undefined {
  if (!config.DISCOVERY_ENABLED) return undefined;
  return {
    namespace: config.DISCOVERY_NAMESPACE ?? namespaces[0] ?? 'default',
    allowed: {
      macPrefixes: config.DISCOVERY_MAC_PREFIXES,
      bmcNetworks: config.DISCOVERY_BMC_NETWORKS,
      rules: config.DISCOVERY_RULES,
    },
    hostName: config.DISCOVERY_HOST_NAME,
    labels: Object.fromEntries(config.DISCOVERY_LABELS),
    limit: config.DISCOVERY_LIMIT,
    maxHosts: config.DISCOVERY_MAX_HOSTS,
    returnAfterMs: config.DISCOVERY_RETURN_AFTER,
  };
}
