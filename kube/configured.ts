import type { BridgeConfig } from '../platform/config/config.ts';
import type { ProxyConfig } from '../platform/config/proxy-settings.ts';
import type { Metrics } from '../platform/metrics/registry.ts';
import type { Gate } from '../platform/metrics/server.ts';
import { connectKube, type Kube } from './client.ts';
import { createGates, GATE_RATE, type Gates } from './gate.ts';
import { createTurns, type Turn, turnsOf } from './rate-limit.ts';

/** The API server as a process uses it. */
export interface ConfiguredKube {
  readonly kube: Kube;
  /**
   * The same without the rate limit, for the last read before a change, and for the change: such a read is valid for
   * seconds, and a place at Ironic waits for it. As many are made at a time as there are places.
   */
  readonly urgent: Kube;
  /** Authorizes clients of this process. */
  readonly gate: Gate;
  readonly gates: Gates;
  close(): Promise<void>;
}

/** Connects with the configured rate limit, and counts each request. */
export function connectConfiguredKube(
  config: Pick<BridgeConfig, 'KUBECONFIG' | 'KUBE_API_QPS' | 'KUBE_API_BURST'> & ProxyConfig,
  record: Metrics['record'],
  turnOfGates: Turn = createTurns(GATE_RATE.perSecond, GATE_RATE.burst),
): ConfiguredKube {
  const connect = (turn: Turn | undefined): Kube =>
    connectKube(config.KUBECONFIG, {
      proxies: config,
      turn,
      count: (labels) => record({ name: 'rest_client_requests_total', labels }),
    });
  const turn = turnsOf(config);
  const kube = connect(turn);
  const urgent = turn === undefined ? kube : connect(undefined);
  const forGates = connect(turnOfGates);
  const gates = createGates(forGates);
  const close = async (): Promise<void> => {
    await Promise.all([kube, urgent, forGates].map((each) => each.close()));
  };
  return { kube, urgent, gates, gate: gates.mayUse, close };
}
