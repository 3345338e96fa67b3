import { fileURLToPath } from 'node:url';
import { COMPILED, NODE_ENVIRONMENT, NODE_FLAGS } from '../platform/node-flags.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { answers } from './http/answers.ts';
import type { IronicEndpoints } from './ironic/ironic-lab.ts';
import { type AccountKubeconfigs, HOME, type Program } from './rights.ts';
import type { Service } from './service.ts';
import { webhooksAnswer } from './webhooks.ts';

export const TEMPER_PORTS = {
  bridgeHealth: 16081,
  workersHealth: 16082,
  bridgeMetrics: 16083,
  workersMetrics: 16084,
  webhooks: 16085,
} as const;

type TemperEndpoint = 'bridge' | 'workers' | 'bridgeMetrics' | 'workersMetrics';

/** The URLs of health and metrics of both processes. */
export const temperEndpoints = (ports: TemperOptions['ports']): Record<TemperEndpoint, string> => ({
  bridge: `http://127.0.0.1:${ports.bridgeHealth}`,
  workers: `http://127.0.0.1:${ports.workersHealth}`,
  bridgeMetrics: `http://127.0.0.1:${ports.bridgeMetrics}/metrics`,
  workersMetrics: `http://127.0.0.1:${ports.workersMetrics}/metrics`,
});

export type EnvOf = Partial<Readonly<Record<Program, Readonly<Record<string, string>>>>>;

export interface TemperOptions {
  readonly controlPlane: ControlPlane;
  /** Kubeconfigs with the accounts of the two processes. */
  readonly credentials: AccountKubeconfigs;
  /** undefined when the fixture is used. */
  readonly ironic: IronicEndpoints | undefined;
  readonly ports: Readonly<Record<keyof typeof TEMPER_PORTS, number>>;
  /** Added to the environment of both, for tests that change a setting. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that are added to the environment of one of the two processes. */
  readonly envOf?: EnvOf;
  /** The API server calls the webhooks of this bridge: it is ready once that works. */
  readonly hasWebhooks?: boolean;
}

/** Our own two processes, configured by their environment only, as on a user's cluster. */
export function temperServices(options: TemperOptions): readonly Service[] {
  const bridge = nodeService(
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
  );
  const { kubeconfig } = options.controlPlane;
  const ready = async (signal: AbortSignal): Promise<void> => {
    await bridge.ready(signal);
    if (options.hasWebhooks === true) await webhooksAnswer(kubeconfig, signal);
  };
  return [
    { ...bridge, ready },
    nodeService(
      'workers',
      '../workers/main.ts',
      { health: options.ports.workersHealth, metrics: options.ports.workersMetrics },
      options,
    ),
  ];
}

function nodeService(
  name: Program,
  program: string,
  ports: { readonly health: number; readonly metrics: number },
  options: TemperOptions,
): Service {
  const { controlPlane, credentials, ironic, env, envOf = {} } = options;
  const health = `127.0.0.1:${ports.health}`;
  return {
    name,
    command: process.execPath,
    args: [...NODE_FLAGS[name], fileURLToPath(new URL(program, import.meta.url))],
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: {
      ...COMPILED,
      ...NODE_ENVIRONMENT,
      KUBECONFIG: credentials[name],
      POD_NAMESPACE: HOME,
      TEMPORAL_ADDRESS: controlPlane.temporalAddress,
      TEMPORAL_NAMESPACE: controlPlane.temporalNamespace,
      ...(ironic === undefined ? { PROVISIONER: 'fixture' } : ironicEnv(ironic)),
      HEALTH_ADDR: health,
      METRICS_ADDR: `127.0.0.1:${ports.metrics}`,
      METRICS_INSECURE: 'true',
      TEMPER_LAB: 'true',
      ...env,
      ...envOf[name],
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
