import type { ManagerName } from '../binaries/cluster-api.ts';
import { answers } from '../ironic/answers.ts';
import type { Service } from '../service.ts';
import type { ServingFiles } from './serving.ts';

/** Each manager's webhooks and health are on ports of its own. */
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

/** One of Cluster API's managers as it runs in a cluster, but for its ports: webhooks and all. */
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
