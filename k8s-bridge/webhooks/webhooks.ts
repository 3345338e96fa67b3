import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/message-of.ts';
import type { Kube } from '../../kube/client.ts';
import { type BridgeConfig, homeNamespace } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import type { KeyPair } from '../../platform/tls/certificates.ts';
import { tlsOptions } from '../../platform/tls/options.ts';
import { type OnRead, readPair } from '../../platform/tls/serving-certificate.ts';
import { keepOwnCertificate } from './keep-own-certificate.ts';
import { serveIsolated } from './serving/isolated-server.ts';

export interface WebhooksOptions {
  readonly kube: Kube;
  readonly config: BridgeConfig;
  readonly log: Log;
  readonly record: Metrics['record'];
  readonly onRead: OnRead;
  /** Milliseconds between two checks of the certificate; the Secret is checked less often than files. */
  readonly lookEveryMs?: number;
}

export interface Webhooks {
  readonly port: number;
  /** What is missing, in words; empty when reviews are answered. */
  readonly missing: readonly string[];
  close(): Promise<void>;
}

const LOOK_EVERY_MS = { mounted: 10_000, 'self-managed': 60_000 };
const RETRY_MS = 2_000;

/** Answers the API server's reviews in every replica, with or without the Lease. Follows changes of the certificate. */
export async function startWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { kube, config, log, record, onRead } = options;
  const { WEBHOOK_HOST: hostname, WEBHOOK_PORT: port, WEBHOOK_CERT_DIR: dir, WEBHOOK_CERTIFICATES: source } = config;
  const server = await serveIsolated({
    address: { hostname, port },
    tls: tlsOptions(config),
    kinds: { fakeHardware: config.TEMPER_LAB },
    log,
    record,
  });
  const own = {
    kube,
    namespace: homeNamespace(config),
    validating: config.WEBHOOK_CONFIGURATION,
    mutating: config.WEBHOOK_MUTATING_CONFIGURATION,
    now: Date.now,
  };
  const look = async (): Promise<KeyPair> => {
    if (source === 'self-managed') return keepOwnCertificate(own);
    const pair = await readPair(dir).catch((error: unknown) => {
      onRead('failed');
      throw error;
    });
    onRead(pair === undefined ? 'failed' : 'read');
    if (pair === undefined) throw new Error(`there is no certificate in ${dir}`);
    return pair;
  };
  const stop = new AbortController();
  let inUse: KeyPair | undefined;
  let problem = 'the webhooks have no certificate yet';

  /** When a new certificate is missing or invalid, the current one stays in use. */
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      let pause = options.lookEveryMs ?? LOOK_EVERY_MS[source];
      try {
        const pair = await look();
        if (pair.cert !== inUse?.cert || pair.key !== inUse.key) {
          server.use(pair);
          inUse = pair;
          log.info({ source }, 'webhooks have a certificate');
        }
        problem = '';
      } catch (error) {
        const said = messageOf(error);
        if (said !== problem) log.warn({ source, error: said }, 'certificate of the webhooks');
        problem = said;
        pause = Math.min(pause, RETRY_MS);
      }
      await sleep(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const following = follow();

  return {
    port: server.port,
    get missing() {
      if (inUse === undefined) return [`webhooks: ${problem}`];
      return server.isServing ? [] : ['webhooks: their thread is started again'];
    },
    async close() {
      stop.abort();
      await following;
      await server.close();
    },
  };
}
