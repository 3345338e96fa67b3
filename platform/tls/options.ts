import type { SecureContextOptions } from 'node:tls';
import type { BridgeConfig } from '../config/config.ts';
import { CIPHER_SUITES, type TLS_VERSIONS } from '../config/tls-names.ts';

type Version = (typeof TLS_VERSIONS)[number];

const VERSION = { TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const satisfies Record<Version, string>;

/** As in Go, suites of TLS 1.3 cannot be selected: all are enabled. */
const OF_TLS13 = Object.values(CIPHER_SUITES).filter((name) => name.startsWith('TLS_'));

/** TLS options of our HTTPS servers; throws when no version is left, with the names of the variables. */
export function tlsOptions(
  config: Pick<BridgeConfig, 'TLS_MIN_VERSION' | 'TLS_MAX_VERSION' | 'TLS_CIPHER_SUITES' | 'TLS_CURVE_PREFERENCES'>,
): SecureContextOptions {
  const { TLS_MIN_VERSION: oldest, TLS_MAX_VERSION: newest } = config;
  if (oldest > newest) {
    throw new Error(`configuration: TLS_MIN_VERSION ${oldest} is newer than TLS_MAX_VERSION ${newest}`);
  }
  const ciphers = config.TLS_CIPHER_SUITES.filter((name) => !OF_TLS13.includes(name));
  const curves = config.TLS_CURVE_PREFERENCES;
  return {
    minVersion: VERSION[oldest],
    maxVersion: VERSION[newest],
    ...(ciphers.length > 0 && { ciphers: [...new Set([...OF_TLS13, ...ciphers])].join(':') }),
    ...(curves.length > 0 && { ecdhCurve: curves.join(':') }),
  };
}
