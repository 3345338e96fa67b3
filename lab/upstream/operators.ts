import { join } from 'node:path';
import { isAlreadyExists, type Kube } from '../../kube/client.ts';
import { registerComponents } from '../cluster-api/register.ts';
import { ensureServing } from '../cluster-api/serving.ts';
import { createObject, withKube } from '../control-plane/objects.ts';
import { answers } from '../http/answers.ts';
import type { IronicEndpoints } from '../ironic/ironic-lab.ts';
import type { Service } from '../service.ts';
import type { Session } from '../supervisor/session.ts';

/** The operators of Metal3 that Temper replaces, as `build.sh` builds them, with the arguments of their Deployments. */

export interface OperatorOptions {
  /** Folder of `build.sh`. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly ironic: Pick<IronicEndpoints, 'ironic' | 'deployIso'>;
}

interface Ports {
  readonly webhooks: number;
  readonly health: number;
}

interface Operator {
  readonly name: string;
  readonly program: string;
  readonly namespace: string;
  readonly args: (ports: Ports, certificates: string) => readonly string[];
}

const managerArgs: Operator['args'] = ({ webhooks, health }, certificates) => [
  `--webhook-port=${webhooks}`,
  `--webhook-cert-dir=${certificates}`,
  `--health-addr=127.0.0.1:${health}`,
  '--diagnostics-address=0',
];

const OPERATORS: readonly Operator[] = [
  {
    name: 'baremetal-operator',
    program: 'baremetal-operator',
    namespace: 'baremetal-operator-system',
    args: ({ webhooks, health }) => [
      '--enable-leader-election',
      '--hostclaims',
      `--webhook-port=${webhooks}`,
      `--health-addr=127.0.0.1:${health}`,
      '--metrics-addr=0',
      '--max-provisioning-retries=1',
    ],
  },
  { name: 'ip-address-manager', program: 'manager', namespace: 'metal3-ipam-system', args: managerArgs },
  { name: 'cluster-api-provider-metal3', program: 'manager', namespace: 'capm3-system', args: managerArgs },
];

/** Where baremetal-operator looks for its certificate, below the folder for temporary files. */
const CERTIFICATES = 'k8s-webhook-server/serving-certs';

/** Starts them one after the other: each needs the kinds of those before it. */
export async function startOperators(session: Session, options: OperatorOptions): Promise<void> {
  for (const operator of OPERATORS) {
    const { name, namespace } = operator;
    const found = await session.ports({ [`${name} webhooks`]: undefined, [`${name} health`]: undefined });
    const ports: Ports = { webhooks: found[`${name} webhooks`] ?? 0, health: found[`${name} health`] ?? 0 };
    const home = join(session.dir, name);
    const serving = await ensureServing(join(home, CERTIFICATES));
    await withKube(options.kubeconfig, (kube) => createNamespace(kube, namespace));
    await registerComponents(
      options.kubeconfig,
      join(options.folder, name, 'components.yaml'),
      { port: ports.webhooks, ca: serving.ca },
      AbortSignal.timeout(240_000),
    );
    await session.supervisor.start(serviceOf(operator, home, ports, options));
  }
}

function serviceOf(
  { name, program, namespace, args }: Operator,
  home: string,
  ports: Ports,
  { folder, kubeconfig, ironic }: OperatorOptions,
): Service {
  const place = join(folder, name);
  return {
    name,
    command: join(place, program),
    args: args(ports, join(home, CERTIFICATES)),
    env: {
      KUBECONFIG: kubeconfig,
      POD_NAMESPACE: namespace,
      TMPDIR: home,
      PROVISIONER_PLUGIN_DIR: place,
      IRONIC_ENDPOINT: ironic.ironic,
      DEPLOY_ISO_URL: ironic.deployIso,
    },
    ready: (signal) => answers(`http://127.0.0.1:${ports.health}/readyz`, signal),
  };
}

async function createNamespace(kube: Kube, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await createObject(kube, '/api/v1/namespaces', body).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
}
