import type { ManagerName } from '../binaries/cluster-api.ts';
import { answers } from '../http/answers.ts';
import type { Service } from '../service.ts';
import type { ServingFiles } from './serving.ts';

/** Ports of the webhooks and health checks of one manager. */
export interface ManagerPorts {
  readonly webhooks: number;
  readonly health: number;
}

export interface ManagerOptions {
  readonly name: ManagerName;
  readonly binary: string;
  readonly kubeconfig: string;
  readonly ports: ManagerPorts;
  readonly serving: ServingFiles;
}

/** The service of one Cluster API manager, configured as in a cluster except for its ports. */
export function managerService({ name, binary, kubeconfig, ports, serving }: ManagerOptions): Service {
  return {
    name,
    command: binary,
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--webhook-port=${ports.webhooks}`,
      `--webhook-cert-dir=${serving.folder}`,
      `--health-addr=127.0.0.1:${ports.health}`,
      '--diagnostics-address=0',
      '--feature-gates=ClusterTopology=true',
    ],
    ready: (signal) => answers(`http://127.0.0.1:${ports.health}/readyz`, signal),
  };
}
