import type { BridgeConfig } from '../platform/config/config.ts';
import type { Metrics } from '../platform/metrics/registry.ts';
import type { Gate } from '../platform/metrics/server.ts';
import { connectKube, type Kube } from './client.ts';
import { createGates, GATE_RATE, type Gates } from './gate.ts';
import { createTurns, type Turn, turnsOf } from './rate-limit.ts';

/** The API server as a process uses it. */
export interface ConfiguredKube {
  readonly kube: Kube;
  /** Authorizes clients of this process. */
  readonly gate: Gate;
  readonly gates: Gates;
  close(): Promise<void>;
}

/** Connects with the configured rate limit, and counts each request. */
export function connectConfiguredKube(
  config: Pick<BridgeConfig, 'KUBECONFIG' | 'KUBE_API_QPS' | 'KUBE_API_BURST'>,
  record: Metrics['record'],
): ConfiguredKube {
  const connect = (turn: Turn | undefined): Kube =>
    connectKube(config.KUBECONFIG, turn, (labels) => record({ name: 'rest_client_requests_total', labels }));
  const [kube, forGates] = [connect(turnsOf(config)), connect(createTurns(GATE_RATE.perSecond, GATE_RATE.burst))];
  const gates = createGates(forGates);
  const close = async (): Promise<void> => {
    await Promise.all([kube.close(), forGates.close()]);
  };
  return { kube, gates, gate: gates.mayUse, close };
}
