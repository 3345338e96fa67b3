import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../platform/node-flags.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { answers } from './http/answers.ts';
import type { IronicEndpoints } from './ironic/ironic-lab.ts';
import type { Service } from './service.ts';

export const TEMPER_PORTS = {
  bridgeHealth: 16081,
  workersHealth: 16082,
  bridgeMetrics: 16083,
  workersMetrics: 16084,
  webhooks: 16085,
} as const;

export interface TemperOptions {
  readonly controlPlane: ControlPlane;
  /** undefined when the fixture is used. */
  readonly ironic: IronicEndpoints | undefined;
  readonly ports: Readonly<Record<keyof typeof TEMPER_PORTS, number>>;
  /** Added to the environment of both, for tests that change a setting. */
  readonly env: Readonly<Record<string, string>>;
}

/** Our own two processes, configured by their environment only, as on a user's cluster. */
export function temperServices(options: TemperOptions): readonly Service[] {
  return [
    nodeService(
      'bridge',
      '../k8s-bridge/main.ts',
      { health: options.ports.bridgeHealth, metrics: options.ports.bridgeMetrics },
      {
        ...options,
        env: {
          WEBHOOK_HOST: '127.0.0.1',
          WEBHOOK_PORT: String(options.ports.webhooks),
          WEBHOOK_CERTIFICATES: 'self-managed',
          ...options.env,
        },
      },
    ),
    nodeService(
      'workers',
      '../workers/main.ts',
      { health: options.ports.workersHealth, metrics: options.ports.workersMetrics },
      options,
    ),
  ];
}

function nodeService(
  name: string,
  program: string,
  ports: { readonly health: number; readonly metrics: number },
  options: TemperOptions,
): Service {
  const { controlPlane, ironic, env } = options;
  const health = `127.0.0.1:${ports.health}`;
  return {
    name,
    command: process.execPath,
    args: [...NODE_FLAGS, fileURLToPath(new URL(program, import.meta.url))],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      KUBECONFIG: controlPlane.kubeconfig,
      TEMPORAL_ADDRESS: controlPlane.temporalAddress,
      TEMPORAL_NAMESPACE: controlPlane.temporalNamespace,
      ...(ironic === undefined ? { PROVISIONER: 'fixture' } : ironicEnv(ironic)),
      HEALTH_ADDR: health,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      METRICS_INSECURE: 'true',
      TEMPER_LAB: 'true',
      ...env,
    },
    ready: (signal) => answers(`http://${health}/readyz`, signal),
  };
}

const ironicEnv = ({ ironic, authRootDir, deployIso }: IronicEndpoints): Record<string, string> => ({
  IRONIC_ENDPOINT: ironic,
  ...(authRootDir === undefined ? {} : { METAL3_AUTH_ROOT_DIR: authRootDir }),
  DEPLOY_ISO_URL: deployIso,
  // Machines that boot in half a second are polled more often than real ones.
  IRONIC_POLL_INTERVAL: '400',
});
