import type { Cleaning } from '../../domain/migration/take-off.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import { split } from '../../platform/config/config-values.ts';
import { deploymentsIn, type Reader, settingsOf, type TemperDeployment } from '../deployments.ts';

/** A Temper in a cluster. */
export interface Installation {
  readonly namespace: string;
  readonly deployments: readonly string[];
  readonly parts: Cleaning['parts'];
  /** The namespaces that it watches; empty: all. */
  readonly watched: readonly string[];
}

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

async function installationOf(
  kube: Reader,
  namespace: string,
  found: readonly TemperDeployment[],
): Promise<Installation> {
  const settings = await settingsOf(kube, namespace, found);
  const named = split(settings['CONTROLLERS'] ?? '');
  return {
    namespace,
    deployments: found.map((each) => each.metadata.name),
    parts: named.length === 0 ? ALL : ALL.filter((part) => named.includes(part)),
    watched: split(settings['WATCH_NAMESPACE'] ?? ''),
  };
}
