import { type TemporalConfig, usesTls } from '../config/temporal-settings.ts';

/** This computer, by a name or an address that no DNS server decides. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Says that the connection to Temporal can be read and changed on its way; undefined for TLS and within this computer. */
export function plainTextWarning(config: TemporalConfig): string | undefined {
  const host = config.TEMPORAL_ADDRESS.replace(/:\d*$/, '');
  if (usesTls(config) || LOOPBACK.test(host)) return undefined;
  return `the connection to Temporal at ${config.TEMPORAL_ADDRESS} has no TLS: whoever is between can read and send messages (docs/temporal.md says how to have it)`;
}
