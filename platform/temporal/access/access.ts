import type { DataConverter } from '@temporalio/common';
import { messageOf } from '../../../domain/message-of.ts';
import type { ProxyConfig } from '../../config/proxy-settings.ts';
import type { TemporalConfig } from '../../config/temporal-settings.ts';
import { followFiles } from '../../follow-files.ts';
import type { Log } from '../../log.ts';
import { certificatesIn } from '../../tls/certificates.ts';
import type { OnRead } from '../../tls/serving-certificate.ts';
import { NO_TRACING, type Tracing } from '../../tracing/tracing.ts';
import { openEncryption } from '../encryption/encryption.ts';
import { filesOf, isSame, readCredentials, type TemporalCredentials } from './credentials.ts';
import { type TemporalProxy, temporalProxy } from './proxy.ts';

/** How a process reaches Temporal. */
export interface TemporalAccess {
  readonly address: string;
  readonly namespace: string;
  /** undefined: connections are direct. */
  readonly proxy: TemporalProxy | undefined;
  /** The newest credentials that can be used. */
  readonly credentials: TemporalCredentials;
  /** undefined: payloads are not encrypted. */
  readonly dataConverter: DataConverter | undefined;
  readonly tracing: Tracing;
  /** Calls back when the credentials have changed; the returned function ends it. */
  follow(onChange: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Reads the credentials, and again when their files change. Throws when they can't be used. Later content that can't be
 * used is logged, and the current credentials stay in use.
 */
export async function openTemporalAccess(
  config: TemporalConfig & ProxyConfig,
  log: Log,
  onRead: OnRead,
  tracing: Tracing = NO_TRACING,
): Promise<TemporalAccess> {
  let credentials = await readCredentials(config).catch((error: unknown) => {
    throw new Error(`configuration:\n  ${messageOf(error)}`, { cause: error });
  });
  const proxy = temporalProxy(config.TEMPORAL_ADDRESS, config);
  const encryption = await openEncryption(config, log);
  const followers = new Set<() => void>();
  let problem: string | undefined;

  const look = async (): Promise<void> => {
    try {
      const read = await readCredentials(config);
      onRead('read');
      problem = undefined;
      if (isSame(read, credentials)) return;
      credentials = read;
      log.info({ clientCertificateUntil: endOf(read) }, 'the credentials for Temporal were renewed');
      for (const follower of followers) follower();
    } catch (error) {
      onRead('failed');
      if (problem !== messageOf(error))
        log.warn(
          { error: messageOf(error) },
          'the new credentials for Temporal cannot be used; the old ones stay in use',
        );
      problem = messageOf(error);
    }
  };
  const files = filesOf(config);
  const unfollow = files.length === 0 ? () => undefined : followFiles(files, look);

  return {
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    proxy,
    get credentials() {
      return credentials;
    },
    dataConverter: encryption?.dataConverter,
    tracing,
    follow(onChange) {
      followers.add(onChange);
      return () => void followers.delete(onChange);
    },
    async close() {
      unfollow();
      encryption?.close();
    },
  };
}

/** When the client certificate expires. */
const endOf = ({ tls }: TemporalCredentials): string | undefined =>
  tls?.client && certificatesIn(tls.client.cert)[0]?.validToDate.toISOString();
