import { z } from 'zod';
import { optionalText, text } from './config-values.ts';

/**
 * How bridge and workers reach Temporal. The names are those of Temporal's own command line and SDKs, so that one set
 * of variables serves all of them; TEMPORAL_API_KEY_PATH and those of encryption are ours.
 */
export const temporalSettings = {
  TEMPORAL_ADDRESS: text('127.0.0.1:7233', 'host:port of the Temporal frontend'),
  TEMPORAL_NAMESPACE: text('default', 'Temporal namespace, of this cluster alone; another cluster in it is refused'),
  TEMPORAL_TLS: z
    .stringbool()
    .optional()
    .describe('connect to Temporal with TLS; default: when one of the settings below is given'),
  TEMPORAL_TLS_SERVER_NAME: optionalText('name in the certificate of Temporal; default: that of TEMPORAL_ADDRESS'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: optionalText(
    'file with the CAs of the certificate of Temporal; default: the public ones',
  ),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: optionalText('the same as text'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: optionalText('file with the client certificate for Temporal'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: optionalText('the same as text'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: optionalText('file with its key'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: optionalText('the same as text'),
  TEMPORAL_API_KEY_PATH: optionalText('file with the API key for Temporal'),
  TEMPORAL_API_KEY: optionalText('the same as text'),
  TEMPORAL_ENCRYPTION_KEYS_DIR: optionalText(
    'encrypt payloads, with the keys in this folder: [temporal.md](temporal.md#payloads-are-encrypted)',
  ),
  TEMPORAL_ENCRYPTION_KEYS: optionalText('the same as text: `name:key,name:key`, of which the first encrypts'),
} as const;

const shape = z.object(temporalSettings);
export type TemporalConfig = z.infer<typeof shape>;

/** Settings of which only one can be given: a text, and the file with it. */
const EITHER = [
  ['TEMPORAL_TLS_SERVER_CA_CERT_DATA', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH'],
  ['TEMPORAL_TLS_CLIENT_CERT_DATA', 'TEMPORAL_TLS_CLIENT_CERT_PATH'],
  ['TEMPORAL_TLS_CLIENT_KEY_DATA', 'TEMPORAL_TLS_CLIENT_KEY_PATH'],
  ['TEMPORAL_API_KEY', 'TEMPORAL_API_KEY_PATH'],
  ['TEMPORAL_ENCRYPTION_KEYS', 'TEMPORAL_ENCRYPTION_KEYS_DIR'],
] as const;

const OF_TLS = [
  'TEMPORAL_TLS_SERVER_NAME',
  ...EITHER.slice(0, 3).flat(),
] as const satisfies readonly (keyof TemporalConfig)[];

/** True when the connection uses TLS. */
export const usesTls = (config: TemporalConfig): boolean =>
  config.TEMPORAL_TLS ??
  [...OF_TLS, 'TEMPORAL_API_KEY' as const, 'TEMPORAL_API_KEY_PATH' as const].some((name) => config[name] !== undefined);

/** Adds an issue for each setting that contradicts another one. */
export function noContradictions(config: TemporalConfig, context: z.RefinementCtx): void {
  const refuse = (name: keyof TemporalConfig, message: string): void =>
    context.addIssue({ code: 'custom', path: [name], message });
  for (const [text, file] of EITHER) {
    if (config[text] !== undefined && config[file] !== undefined) refuse(text, `cannot be given together with ${file}`);
  }
  const certificate = config.TEMPORAL_TLS_CLIENT_CERT_DATA ?? config.TEMPORAL_TLS_CLIENT_CERT_PATH;
  const key = config.TEMPORAL_TLS_CLIENT_KEY_DATA ?? config.TEMPORAL_TLS_CLIENT_KEY_PATH;
  if (certificate !== undefined && key === undefined)
    refuse('TEMPORAL_TLS_CLIENT_KEY_PATH', 'is required for a client certificate');
  if (certificate === undefined && key !== undefined)
    refuse('TEMPORAL_TLS_CLIENT_CERT_PATH', 'is required for a client key');
  const given = OF_TLS.find((name) => config[name] !== undefined);
  if (config.TEMPORAL_TLS === false && given !== undefined)
    refuse('TEMPORAL_TLS', `cannot be false together with ${given}`);
}
