import type { MetaData, NetworkData } from '../../api/metal3datatemplate/schema.ts';
import { POOL_GROUP, POOL_KIND } from '../../api/metal3datatemplate/values.ts';
import { counter } from '../bounds/beyond-bound.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import { type AnnotationSource, annotationOf, type DataInputs, DataProblem } from './facts.ts';

export interface PoolReference {
  readonly name: string;
  readonly apiGroup: string;
  readonly kind: string;
}

export interface DataSources {
  readonly metaData?: MetaData | undefined;
  readonly networkData?: NetworkData | undefined;
}

const CLUSTER_GROUP = 'ipam.cluster.x-k8s.io';
/** The kinds of pools that are known, and their groups; other providers of Cluster API bring kinds of their own. */
const GROUP_OF: Readonly<Record<string, string>> = {
  [POOL_KIND]: POOL_GROUP,
  InClusterIPPool: CLUSTER_GROUP,
  GlobalInClusterIPPool: CLUSTER_GROUP,
};

/** The API groups of Metal3, Cluster API and Kubernetes, whose kinds are known. Providers bring groups of their own. */
const KNOWN_GROUPS = /(?:^|\.)(?:metal3|k8s|x-k8s)\.io$/;

const groupOf = (kind: string): string | undefined => (Object.hasOwn(GROUP_OF, kind) ? GROUP_OF[kind] : undefined);

/** Why no controller will ever answer a claim for the pool; undefined when one may. */
export function poolProblem({ name, apiGroup, kind }: PoolReference): string | undefined {
  const group = groupOf(kind);
  const isWrong = group === undefined ? apiGroup === POOL_GROUP : apiGroup !== group && KNOWN_GROUPS.test(apiGroup);
  if (!isWrong) return undefined;
  return `pool ${name}: ${apiGroup} has no kind ${kind}, ${group === undefined ? `only ${POOL_KIND}` : `${group} has it`}`;
}

/** The pool, for people. A known kind in the group of a provider may be a mistake. */
export function poolInWords({ name, apiGroup, kind }: PoolReference): string {
  const group = groupOf(kind);
  const words = `${kind} ${name}`;
  return group === undefined || group === apiGroup
    ? words
    : `${words} of ${apiGroup} (Temper knows this kind in ${group})`;
}

/** True for a pool of ipam.metal3.io. All other pools use Cluster API's contract. */
export const isMetal3Pool = ({ apiGroup, kind }: PoolReference): boolean =>
  apiGroup === POOL_GROUP && kind === POOL_KIND;

/**
 * All pools that a template uses, once each; each gets a claim. Some oddities of upstream are kept because the claims
 * are visible: a pool named beside an annotation is claimed as well, and networks without their own address ignore
 * annotations.
 */
export function referencedPools({ metaData, networkData }: DataSources, facts: DataInputs): readonly PoolReference[] {
  const pools = new Pools(facts);
  const lists = ['ipAddressesFromPool', 'prefixesFromPool', 'gatewaysFromPool', 'dnsServersFromPool'] as const;
  for (const list of lists) for (const pool of metaData?.[list] ?? []) pools.add(pool);
  const { networks, services } = networkData ?? {};
  for (const network of [...(networks?.ipv4 ?? []), ...(networks?.ipv6 ?? [])]) {
    pools.addAnnotated(network.fromPoolAnnotation);
    pools.addFirst(network.fromPoolRef, network.ipAddressFromIPPool);
    pools.addRoutes(network.routes, 'with annotations');
  }
  const dynamic = [...(networks?.ipv4DHCP ?? []), ...(networks?.ipv6DHCP ?? []), ...(networks?.ipv6SLAAC ?? [])];
  for (const { routes } of dynamic) pools.addRoutes(routes, 'without annotations');
  pools.addNamed(services?.dnsFromIPPool);
  return [...pools.byName.values()];
}

type Routes = NonNullable<NonNullable<NonNullable<NetworkData['networks']>['ipv4']>[number]['routes']>;
type Reference = {
  readonly name?: string | undefined;
  readonly apiGroup?: string | undefined;
  readonly kind?: string | undefined;
};

class Pools {
  readonly byName = new Map<string, PoolReference>();
  private readonly facts: DataInputs;
  private readonly count = counter(BOUNDS.pools);

  constructor(facts: DataInputs) {
    this.facts = facts;
  }

  add({ name = '', apiGroup = '', kind = '' }: Reference): void {
    // v1beta1 allows `group/version` here.
    const [group = ''] = apiGroup.split('/');
    const pool = { name, apiGroup: group === '' ? POOL_GROUP : group, kind: kind === '' ? POOL_KIND : kind };
    const before = this.byName.get(name);
    if (before === undefined) {
      this.count(name);
      this.byName.set(name, pool);
    } else if (before.apiGroup !== pool.apiGroup || before.kind !== pool.kind) {
      throw new DataProblem('multiple references with the same name but different resource types');
    }
  }

  addNamed(name: string | undefined): void {
    if (name !== undefined && name !== '') this.add({ name });
  }

  addFirst(reference: Reference | undefined, name: string | undefined): void {
    if (reference?.name !== undefined && reference.name !== '') this.add(reference);
    else this.addNamed(name);
  }

  addAnnotated(source: AnnotationSource | undefined): void {
    if (source === undefined) return;
    const name = annotationOf(source, this.facts);
    if (name === '') throw new DataProblem(`annotation ${source.annotation} not found or empty on ${source.object}`);
    this.add({ name });
  }

  addRoutes(routes: Routes | undefined, mode: 'with annotations' | 'without annotations'): void {
    for (const { gateway, services } of routes ?? []) {
      if (mode === 'with annotations') this.addAnnotated(gateway?.fromPoolAnnotation);
      this.addFirst(gateway?.fromPoolRef, gateway?.fromIPPool);
      this.addNamed(services?.dnsFromIPPool);
    }
  }
}
