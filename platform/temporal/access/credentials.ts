import { readFile } from 'node:fs/promises';
import { messageOf } from '../../../domain/message-of.ts';
import { type TemporalConfig, usesTls } from '../../config/temporal-settings.ts';
import { certificatesIn, type KeyPair } from '../../tls/certificates.ts';
import { belongTogether } from '../../tls/serving-certificate.ts';

/** The certificates and the API key of a connection to Temporal. */
export interface TemporalCredentials {
  /** undefined: without TLS. */
  readonly tls: TlsCredentials | undefined;
  readonly apiKey: string | undefined;
}

export interface TlsCredentials {
  readonly serverName: string | undefined;
  /** PEM; undefined: the public CAs. */
  readonly ca: string | undefined;
  readonly client: KeyPair | undefined;
}

/** The files with credentials; empty when all are given as text. */
export const filesOf = (config: TemporalConfig): readonly string[] =>
  [
    config.TEMPORAL_TLS_SERVER_CA_CERT_PATH,
    config.TEMPORAL_TLS_CLIENT_CERT_PATH,
    config.TEMPORAL_TLS_CLIENT_KEY_PATH,
    config.TEMPORAL_API_KEY_PATH,
  ].filter((file) => file !== undefined);

/**
 * Reads the credentials from the settings and the files; throws, with the name of the setting, when they can't be used.
 */
export async function readCredentials(config: TemporalConfig): Promise<TemporalCredentials> {
  const apiKey = (await textOf(config, 'TEMPORAL_API_KEY', 'TEMPORAL_API_KEY_PATH'))?.trim();
  // A header with other characters can't be sent.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new Error(`${given(config, 'TEMPORAL_API_KEY', 'TEMPORAL_API_KEY_PATH')}: is not an API key`);
  return { tls: usesTls(config) ? await readTls(config) : undefined, apiKey };
}

async function readTls(config: TemporalConfig): Promise<TlsCredentials> {
  const ca = await textOf(config, 'TEMPORAL_TLS_SERVER_CA_CERT_DATA', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH');
  if (ca !== undefined && certificatesIn(ca).length === 0) {
    const name = given(config, 'TEMPORAL_TLS_SERVER_CA_CERT_DATA', 'TEMPORAL_TLS_SERVER_CA_CERT_PATH');
    throw new Error(`${name}: holds no certificate`);
  }
  const cert = await textOf(config, 'TEMPORAL_TLS_CLIENT_CERT_DATA', 'TEMPORAL_TLS_CLIENT_CERT_PATH');
  const key = await textOf(config, 'TEMPORAL_TLS_CLIENT_KEY_DATA', 'TEMPORAL_TLS_CLIENT_KEY_PATH');
  const client = cert === undefined || key === undefined ? undefined : { cert, key };
  if (client !== undefined && !belongTogether(client)) {
    const name = given(config, 'TEMPORAL_TLS_CLIENT_CERT_DATA', 'TEMPORAL_TLS_CLIENT_CERT_PATH');
    throw new Error(`${name}: is not the certificate of the client key`);
  }
  return { serverName: config.TEMPORAL_TLS_SERVER_NAME, ca, client };
}

type Setting = keyof TemporalConfig & `TEMPORAL_${'API' | 'TLS'}_${string}`;

const given = (config: TemporalConfig, text: Setting, file: Setting): Setting =>
  config[text] === undefined ? file : text;

/** The text itself, or the content of the file. */
async function textOf(config: TemporalConfig, text: Setting, file: Setting): Promise<string | undefined> {
  const [value, path] = [config[text], config[file]];
  if (value !== undefined || path === undefined) return value?.toString();
  try {
    return await readFile(path.toString(), 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** True when both make the same TLS connection. */
export const isSameTls = (one: TemporalCredentials, other: TemporalCredentials): boolean =>
  JSON.stringify(one.tls) === JSON.stringify(other.tls);

export const isSame = (one: TemporalCredentials, other: TemporalCredentials): boolean =>
  isSameTls(one, other) && one.apiKey === other.apiKey;
