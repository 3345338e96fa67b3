import type { Gates } from '../../kube/gate.ts';
import { annotationsOf, VIEWS_PATH } from '../../kube/leader.ts';
import type { BridgeConfig } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
import { serveApp } from '../../platform/serve-app.ts';
import { selfSigned } from '../../platform/tls/certificates.ts';
import { type TakeView, viewApp } from './view-app.ts';

export interface ViewServerDeps {
  readonly config: BridgeConfig;
  readonly gates: Gates;
  readonly take: TakeView;
  readonly log: Log;
}

export interface ViewServer {
  /** For the Lease of this bridge: where workers find it. */
  readonly annotations: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const EVERY_ADDRESS: readonly string[] = ['', '0.0.0.0', '::'];

/**
 * Served by each replica, with a certificate of its own that lives as long as the process; the active bridge answers.
 * undefined: it is turned off.
 */
export async function startViewServer({ config, gates, take, log }: ViewServerDeps): Promise<ViewServer | undefined> {
  const { VIEWS_ADDR: address, POD_IP: podIp, TEMPORAL_NAMESPACE: temporalNamespace } = config;
  if (address === null) return undefined;
  const host = EVERY_ADDRESS.includes(address.hostname) ? podIp : address.hostname;
  if (host === undefined)
    throw new Error('configuration:\n  VIEWS_ADDR: requires POD_IP, or an address that workers can connect to');
  const certificate = await selfSigned([host]);
  const served = await serveApp({
    app: viewApp({ mayHandOver: gates.mayHandOver, temporalNamespace, take, log }),
    what: VIEWS_PATH,
    address,
    setting: 'VIEWS_ADDR',
    certificate,
    config,
    log,
  });
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${served.port}${VIEWS_PATH}`;
  return { annotations: annotationsOf({ url, certificate: certificate.cert }), close: () => served.close() };
}
