import type { DataConverter } from '@temporalio/common';
import type { Gates } from '../../kube/gate.ts';
import { type BridgeConfig, homeNamespace } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
import { type ServedApp, serveApp } from '../../platform/serve-app.ts';
import type { OnRead } from '../../platform/tls/serving-certificate.ts';
import { codecApp } from './codec-app.ts';

export interface CodecServerDeps {
  readonly config: BridgeConfig;
  readonly dataConverter: DataConverter | undefined;
  readonly gates: Gates;
  readonly log: Log;
  readonly onRead: OnRead;
}

const SERVICE = 'temper-codec';

/** Starts the server, which each replica has, with or without the Lease; undefined: it is turned off. */
export async function startCodecServer(deps: CodecServerDeps): Promise<ServedApp | undefined> {
  const { config, dataConverter, gates, log, onRead } = deps;
  const { CODEC_ADDR: address, CODEC_CORS_ORIGINS: origins } = config;
  if (address === null) return undefined;
  const [codec] = dataConverter?.payloadCodecs ?? [];
  if (codec === undefined) throw new Error('configuration:\n  CODEC_ADDR: requires TEMPORAL_ENCRYPTION_KEYS_DIR');
  const service = `${SERVICE}.${homeNamespace(config)}.svc`;
  return serveApp({
    app: codecApp({ codec, gates, origins, log }),
    what: 'the codec server',
    address,
    setting: 'CODEC_ADDR',
    certificate: config.CODEC_INSECURE
      ? undefined
      : { dir: config.CODEC_CERT_DIR, names: [service, `${service}.cluster.local`, 'localhost'] },
    config,
    log,
    onRead,
  });
}
