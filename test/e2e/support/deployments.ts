import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { objectPath } from '../../../kube/paths.ts';
import { ensureServing } from '../../../lab/cluster-api/serving.ts';
import { kubeconfigWith, tokenOf } from '../../../lab/control-plane/account.ts';
import { answers } from '../../../lab/http/answers.ts';
import type { Service } from '../../../lab/service.ts';
import type { Session } from '../../../lab/supervisor/session.ts';
import { type Cluster, serveFromLoopback } from './providers.ts';

/**
 * Deployments of a provider that clusterctl has installed, run as ordinary processes: no kubelet is there. Command,
 * arguments, settings and account are read from the API server.
 */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DEPLOYMENT = { apiVersion: 'apps/v1', plural: 'deployments' };
const CONFIG_MAP = { apiVersion: 'v1', plural: 'configmaps' };

const container = z.looseObject({
  command: z.array(z.string()),
  args: z.array(z.string()).default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })).default([]),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z.object({ fieldRef: z.object({ fieldPath: z.string() }) }).optional(),
      }),
    )
    .default([]),
});
const deployment = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    template: z.object({
      spec: z.object({ serviceAccountName: z.string(), containers: z.tuple([container]) }),
    }),
  }),
});
type Container = z.infer<typeof container>;
const configMap = z.object({ data: z.record(z.string(), z.string()) });

export interface Installed {
  readonly provider: string;
  readonly namespace: string;
  /** Names of its Deployments; the first serves the webhooks. */
  readonly deployments: readonly [string, ...(readonly string[])];
}

const PORTS = { health: undefined, metrics: undefined, webhooks: undefined };

/** One process of each Deployment. What a Pod has of its own differs: its addresses, its token and its certificate. */
export async function deploymentServices(
  session: Session,
  cluster: Cluster,
  { provider, namespace, deployments }: Installed,
): Promise<readonly Service[]> {
  const { kube, endpoints } = cluster;
  const serving = await ensureServing(join(session.dir, provider));
  const services: Service[] = [];
  for (const [at, name] of deployments.entries()) {
    const { metadata, spec } = deployment.parse(
      await kube.request({ path: objectPath(DEPLOYMENT, { namespace, name }) }),
    );
    const { serviceAccountName: account, containers } = spec.template.spec;
    const [{ command, args }] = containers;
    const [program = '', ...rest] = [...command, ...args];
    const ports = await session.ports(
      Object.fromEntries(Object.keys(PORTS).map((port) => [`${name}-${port}`, undefined])),
    );
    const portOf = (port: keyof typeof PORTS): string => String(ports[`${name}-${port}`]);
    if (at === 0) await serveFromLoopback(kube, provider, Number(portOf('webhooks')), serving.ca);
    const kubeconfig = join(session.dir, `${account}.kubeconfig`);
    const token = await tokenOf(kube, { namespace, name: account });
    await writeFile(kubeconfig, await kubeconfigWith(token, endpoints.kubeconfig), { mode: 0o600 });
    services.push({
      name,
      command: program === 'node' ? process.execPath : program,
      args: rest,
      cwd: ROOT,
      env: {
        ...(await settingsOf(cluster, namespace, containers[0])),
        ...fieldsOf(containers[0], { ...metadata, name: `${metadata.name}-0` }),
        KUBECONFIG: kubeconfig,
        HEALTH_ADDR: `127.0.0.1:${portOf('health')}`,
        METRICS_ADDR: `127.0.0.1:${portOf('metrics')}`,
        WEBHOOK_HOST: '127.0.0.1',
        WEBHOOK_PORT: portOf('webhooks'),
        WEBHOOK_CERT_DIR: serving.folder,
      },
      ready: (signal) => answers(`http://127.0.0.1:${portOf('health')}/readyz`, signal),
    });
  }
  return services;
}

/** The values of its ConfigMaps and its own. */
async function settingsOf(
  { kube }: Cluster,
  namespace: string,
  { env, envFrom }: Container,
): Promise<Record<string, string>> {
  const maps = await Promise.all(
    envFrom.map(async ({ configMapRef: { name } }) =>
      configMap.parse(await kube.request({ path: objectPath(CONFIG_MAP, { namespace, name }) })),
    ),
  );
  const own = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]));
  return Object.assign({}, ...maps.map(({ data }) => data), Object.fromEntries(own)) as Record<string, string>;
}

/** The fields that a kubelet fills in from the Pod. */
function fieldsOf(
  { env }: Container,
  pod: { readonly name: string; readonly namespace: string },
): Record<string, string> {
  const fields: Readonly<Record<string, string>> = { 'metadata.name': pod.name, 'metadata.namespace': pod.namespace };
  const filled = env.flatMap(({ name, valueFrom }) => {
    if (valueFrom === undefined) return [];
    const { fieldPath } = valueFrom.fieldRef;
    const value = fields[fieldPath];
    if (value === undefined) throw new Error(`no kubelet is there that fills in ${fieldPath}`);
    return [[name, value] as const];
  });
  return Object.fromEntries(filled);
}
