import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { definitionPath } from '../../../kube/paths.ts';
import { createPrograms } from '../../../lab/binaries/programs.ts';
import { CLUSTER_API_PORTS, MANAGERS } from '../../../lab/cluster-api/cluster-api.ts';
import { managerService } from '../../../lab/cluster-api/managers.ts';
import { ensureServing } from '../../../lab/cluster-api/serving.ts';
import { kubeconfigWith, tokenOf } from '../../../lab/control-plane/account.ts';
import type { IronicEndpoints } from '../../../lab/ironic/ironic-lab.ts';
import type { FixtureEndpoints } from '../../../lab/lab.ts';
import type { Service } from '../../../lab/service.ts';
import { openSession, type Session } from '../../../lab/supervisor/session.ts';
import { TEMPER_PORTS, temperServices } from '../../../lab/temper.ts';
import { createTemporalNamespace } from '../../builders/temporal-namespace.ts';

/**
 * The providers that clusterctl installed on a lab's API server, run as ordinary processes, because no kubelet runs
 * their Deployments.
 */

export interface Cluster {
  readonly dir: string;
  readonly kube: Kube;
  readonly endpoints: FixtureEndpoints;
}

/** A provider of ours: the accounts of its two processes, and what they care for. */
interface Ours {
  readonly provider: string;
  readonly namespace: string;
  readonly accounts: { readonly bridge: string; readonly workers: string };
  readonly controllers: string;
  /** Each provider has workers of its own, and therefore a namespace of its own in Temporal; the lab's by default. */
  readonly temporalNamespace?: string;
}

const MACHINES: Ours = {
  provider: 'infrastructure-metal3',
  namespace: 'capm3-system',
  accounts: { bridge: 'capm3-manager', workers: 'capm3-workers' },
  controllers: 'hosts,machines',
};
const ADDRESSES: Ours = {
  provider: 'ipam-metal3',
  namespace: 'metal3-ipam-system',
  accounts: { bridge: 'ipam-temper-bridge', workers: 'ipam-temper-workers' },
  controllers: 'addresses',
  temporalNamespace: 'metal3-ipam',
};

const free = <Name extends string>(ports: Readonly<Record<Name, number>>): Record<Name, undefined> =>
  Object.fromEntries(Object.keys(ports).map((name) => [name, undefined])) as Record<Name, undefined>;
type Ports = Parameters<typeof temperServices>[0]['ports'];

/**
 * Starts Cluster API's managers and our two providers at the addresses of their webhooks; bridges and workers have only
 * the rights of their ServiceAccounts.
 */
export async function runProviders(cluster: Cluster, ironic: IronicEndpoints): Promise<{ stop(): Promise<void> }> {
  const dir = join(cluster.dir, 'providers');
  const session = await openSession({ dir, ephemeral: true });
  try {
    await startProviders(session, cluster, ironic);
  } catch (error) {
    await session.close();
    throw error;
  }
  return { stop: () => session.close() };
}

async function startProviders(session: Session, cluster: Cluster, ironic: IronicEndpoints): Promise<void> {
  const { dir } = session;
  const ports = await session.ports(free(TEMPER_PORTS));
  const portsOfAddresses = await session.ports(free(TEMPER_PORTS));
  await startTogether(session, [
    ...(await managersOf(session, cluster)),
    ...(await oursServices(dir, cluster, MACHINES, ports, ironic)),
    ...(await oursServices(dir, cluster, ADDRESSES, portsOfAddresses)).map((service) => ({
      ...service,
      name: `addresses-${service.name}`,
    })),
  ]);
}

/** Returns when all have started, or all have ended their attempts. */
export async function startTogether({ supervisor }: Session, services: readonly Service[]): Promise<void> {
  const starts = services.map((service) => supervisor.start(service));
  await Promise.allSettled(starts);
  await Promise.all(starts);
}

/** Cluster API's managers, at the addresses of their webhooks. */
export async function managersOf(session: Session, { kube, endpoints }: Cluster): Promise<readonly Service[]> {
  const ports = await session.ports(free(CLUSTER_API_PORTS));
  const get = createPrograms(() => undefined);
  const managers = MANAGERS.map(async ({ name, provider, webhooks, health }) => {
    const serving = await ensureServing(join(session.dir, provider));
    await serveFromLoopback(kube, provider, ports[webhooks], serving.ca);
    return managerService({
      name,
      binary: await get(name),
      kubeconfig: endpoints.kubeconfig,
      serving,
      ports: { webhooks: ports[webhooks], health: ports[health] },
    });
  });
  return Promise.all(managers);
}

/** Bridge and workers of a provider, without Ironic where it needs none. */
async function oursServices(
  dir: string,
  { kube, endpoints }: Cluster,
  { provider, namespace, accounts, controllers, temporalNamespace }: Ours,
  ports: Ports,
  ironic?: IronicEndpoints,
): Promise<readonly Service[]> {
  const serving = await ensureServing(join(dir, provider));
  await serveFromLoopback(kube, provider, ports.webhooks, serving.ca);
  if (temporalNamespace !== undefined) await createTemporalNamespace(endpoints.temporalAddress, temporalNamespace);
  const kubeconfigOf = async (account: string): Promise<string> => {
    const file = join(dir, `${account}.kubeconfig`);
    const token = await tokenOf(kube, { namespace, name: account });
    await writeFile(file, await kubeconfigWith(token, endpoints.kubeconfig), { mode: 0o600 });
    return file;
  };
  return temperServices({
    controlPlane: endpoints,
    credentials: { bridge: await kubeconfigOf(accounts.bridge), workers: await kubeconfigOf(accounts.workers) },
    ironic,
    ports,
    env: {
      CONTROLLERS: controllers,
      WEBHOOK_CERTIFICATES: 'mounted',
      WEBHOOK_CERT_DIR: serving.folder,
      POD_NAMESPACE: namespace,
      ...(temporalNamespace !== undefined && { TEMPORAL_NAMESPACE: temporalNamespace }),
    },
  });
}

const clientConfig = z.object({ service: z.looseObject({ path: z.string() }) });
const webhooks = z.array(z.looseObject({ clientConfig }));
const named = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const converted = z.object({ spec: z.object({ conversion: z.object({ webhook: z.object({ clientConfig }) }) }) });

/** Replaces the Service in the provider's CRDs and webhooks by a loopback port. */
export async function serveFromLoopback(kube: Kube, provider: string, port: number, ca: string): Promise<void> {
  const address = ({ service }: z.infer<typeof clientConfig>): object => ({
    service: null,
    url: `https://127.0.0.1:${port}${service.path}`,
    caBundle: Buffer.from(ca).toString('base64'),
  });
  const query = { labelSelector: `cluster.x-k8s.io/provider=${provider}` };
  const list = async (path: string) =>
    z.object({ items: z.array(named) }).parse(await kube.request({ path, query })).items;
  for (const crd of await list('/apis/apiextensions.k8s.io/v1/customresourcedefinitions')) {
    const { data } = converted.safeParse(crd);
    if (data === undefined) continue;
    const { clientConfig: config } = data.spec.conversion.webhook;
    const conversion = { webhook: { clientConfig: address(config) } };
    await kube.patch(definitionPath(crd.metadata.name), { spec: { conversion } });
  }
  for (const kind of ['validating', 'mutating']) {
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
    for (const configuration of await list(path)) {
      const addressed = webhooks.parse(configuration['webhooks']).map((webhook) => ({
        ...webhook,
        clientConfig: address(webhook.clientConfig),
      }));
      await kube.patch(`${path}/${configuration.metadata.name}`, { webhooks: addressed });
    }
  }
}
