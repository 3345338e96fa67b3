import { z } from 'zod';
import { maybeText } from '../../api/meta/lenient.ts';
import type { Cleaning } from '../../domain/migration/take-off.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import type { Kube } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { metadata } from '../../kube/objects/metadata.ts';
import { collectionPath, configMapPath } from '../../kube/paths.ts';
import { readFlags } from '../../platform/config/flags.ts';
import { DEPLOYMENTS } from '../deployments.ts';

/** On Deployments and Pods of bridge and workers, under whatever names they are installed. */
export const OF_TEMPER = 'app.kubernetes.io/name=temper';

/** A Temper in a cluster. */
export interface Installation {
  readonly namespace: string;
  readonly deployments: readonly string[];
  readonly parts: Cleaning['parts'];
  /** The namespaces that it watches; empty: all. */
  readonly watched: readonly string[];
}

type Reader = Pick<Kube, 'find' | 'request'>;

const container = z.object({
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), value: maybeText })).default([]),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }).optional() })).default([]),
});
const deployment = z.object({
  metadata,
  spec: z.object({
    replicas: z.number().default(1),
    template: z.object({ spec: z.object({ containers: z.array(container) }) }),
  }),
});
type Deployment = z.infer<typeof deployment>;
const configMap = z.object({ data: z.record(z.string(), z.string()).default({}) });

const ALL = OPERATORS.map(({ part }) => part);

/** The Temper of this namespace. When its Deployments are gone, it may have cared for everything. */
export async function installationIn(kube: Reader, namespace: string): Promise<Installation> {
  const found = await deploymentsIn(kube, namespace);
  return installationOf(kube, namespace, found);
}

/** Other Tempers that run in the cluster: what they care for is not touched. */
export async function otherInstallations(kube: Reader, namespace: string): Promise<readonly Installation[]> {
  const running = (await deploymentsIn(kube, undefined)).filter(
    (each) => each.metadata.namespace !== namespace && each.spec.replicas > 0,
  );
  const byNamespace = Map.groupBy(running, (each) => each.metadata.namespace);
  return Promise.all([...byNamespace].map(([home, found]) => installationOf(kube, home, found)));
}

const deploymentsIn = async (kube: Reader, namespace: string | undefined): Promise<readonly Deployment[]> =>
  (await listAll(kube, collectionPath(DEPLOYMENTS, namespace), { labelSelector: OF_TEMPER })).map((each) =>
    deployment.parse(each),
  );

async function installationOf(kube: Reader, namespace: string, found: readonly Deployment[]): Promise<Installation> {
  const settings = await settingsOf(kube, namespace, found);
  const named = split(settings['CONTROLLERS']);
  return {
    namespace,
    deployments: found.map((each) => each.metadata.name),
    parts: named.length === 0 ? ALL : ALL.filter((part) => named.includes(part)),
    watched: split(settings['WATCH_NAMESPACE']),
  };
}

const split = (value = ''): readonly string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

/** The settings of the containers, as far as they are given as text. A flag takes precedence over its variable. */
async function settingsOf(
  kube: Reader,
  namespace: string,
  found: readonly Deployment[],
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
