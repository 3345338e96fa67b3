import type { Gates } from '../../kube/gate.ts';
import { addressAnnotation, VIEWS_PATH } from '../../kube/leader.ts';
import type { BridgeConfig } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log.ts';
import { serveApp } from '../../platform/serve-app.ts';
import { selfSigned } from '../../platform/tls/certificates.ts';
import type { TakeView } from './take-view.ts';
import { viewApp } from './view-app.ts';

export interface ViewServerDeps {
  readonly config: BridgeConfig;
  readonly gates: Gates;
  /** The active bridge; undefined: it is another one. */
  readonly taker: () => TakeView | undefined;
  /** The identity of this bridge in its Lease. */
  readonly identity: string;
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
export async function startViewServer(deps: ViewServerDeps): Promise<ViewServer | undefined> {
  const { config, gates, taker, identity, log } = deps;
  const { VIEWS_ADDR: listening, POD_IP: podIp, TEMPORAL_NAMESPACE: temporalNamespace } = config;
  if (listening === null) return undefined;
  const host = EVERY_ADDRESS.includes(listening.hostname) ? podIp : listening.hostname;
  if (host === undefined)
    throw new Error('configuration:\n  VIEWS_ADDR: requires POD_IP, or an address that workers can connect to');
  const certificate = await selfSigned([host]);
  const served = await serveApp({
    app: viewApp({ mayHandOver: gates.mayHandOver, temporalNamespace, taker, log }),
    what: VIEWS_PATH,
    address: listening,
    setting: 'VIEWS_ADDR',
    certificate,
    config,
    log,
  });
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${served.port}${VIEWS_PATH}`;
  const address = { url, certificate: certificate.cert };
  return { annotations: addressAnnotation(temporalNamespace, identity, address), close: () => served.close() };
}
