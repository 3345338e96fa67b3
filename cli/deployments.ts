import { z } from 'zod';
import { lenientText, maybeText } from '../api/meta/lenient.ts';
import type { DeploymentSeen } from '../domain/migration/survey.ts';
import type { Kube } from '../kube/client.ts';
import { listAll } from '../kube/list-all.ts';
import { metadata } from '../kube/objects/metadata.ts';
import { collectionPath, configMapPath, type Resource } from '../kube/paths.ts';
import { readFlags } from '../platform/config/flags.ts';

export const DEPLOYMENTS: Resource = { apiVersion: 'apps/v1', plural: 'deployments' };
export const ALL_DEPLOYMENTS = collectionPath(DEPLOYMENTS, undefined);

/** On Deployments and Pods of bridge and workers, under whatever names they are installed. */
export const OF_TEMPER = 'app.kubernetes.io/name=temper';

export type Reader = Pick<Kube, 'find' | 'request'>;

const container = z.object({
  image: lenientText,
  args: z.array(z.string()).catch([]),
  env: z.array(z.object({ name: z.string(), value: maybeText })).catch([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }).optional() })).catch([]),
});
const deployment = z.object({
  metadata,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ containers: z.array(container) }) }),
  }),
  status: z.object({ readyReplicas: z.number().default(0) }).default({ readyReplicas: 0 }),
});
export type TemperDeployment = z.infer<typeof deployment>;
const configMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The Deployment of anybody. */
export function deploymentSeen(object: unknown): DeploymentSeen {
  const { metadata: meta, spec } = deployment.parse(object);
  const images = spec.template.spec.containers.map(({ image }) => image);
  return { namespace: meta.namespace, name: meta.name, images, replicas: spec.replicas };
}

/** The Deployments of bridge and workers in a namespace or (undefined) in all. */
export const deploymentsIn = async (
  kube: Reader,
  namespace: string | undefined,
): Promise<readonly TemperDeployment[]> =>
  (await listAll(kube, collectionPath(DEPLOYMENTS, namespace), { labelSelector: OF_TEMPER })).map((each) =>
    deployment.parse(each),
  );

/** The settings of the containers, as far as they are given as text. A flag takes precedence over its variable. */
export async function settingsOf(
  kube: Reader,
  namespace: string,
  found: readonly TemperDeployment[],
): Promise<Readonly<Record<string, string>>> {
  const containers = found.flatMap(({ spec }) => spec.template.spec.containers);
  const names = new Set(
    containers.flatMap(({ envFrom }) => envFrom.flatMap(({ configMapRef }) => configMapRef?.name ?? [])),
  );
  const maps = await Promise.all([...names].map((name) => kube.find(configMapPath({ namespace, name }))));
  const given = containers.flatMap(({ env }) => env.map(({ name, value = '' }) => ({ [name]: value })));
  const flagged = containers.map(({ args }) => readFlags(args).values);
  return Object.assign(
    {},
    ...maps.map((map) => (map === undefined ? {} : configMap.parse(map).data)),
    ...given,
    ...flagged,
  ) as Record<string, string>;
}
