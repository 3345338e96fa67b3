import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { toYaml } from '../../activities/documents/yaml.ts';
import type { MetaData, NetworkData } from '../../api/metal3datatemplate/schema.ts';
import { POOL_GROUP, POOL_KIND } from '../../api/metal3datatemplate/values.ts';
import { type ContentMap, readable } from '../../domain/data/content.ts';
import { DataProblem, type HostInputs, type NamedFacts, type PoolAddress } from '../../domain/data/facts.ts';
import { renderMetaData } from '../../domain/data/meta-data.ts';
import { type PoolReference, referencedPools } from '../../domain/data/pools.ts';
import { renderNetworkData } from '../../domain/data/render.ts';

/** A template and its inputs. */
export interface RenderedCase {
  readonly name: string;
  readonly metaData?: MetaData;
  readonly networkData?: NetworkData;
  readonly data: { readonly namespace: string; readonly name: string; readonly index?: number };
  readonly metal3Machine: Named;
  readonly machine: Named;
  readonly host: Named & Pick<HostInputs, 'bootMACAddress' | 'nics'>;
  readonly pools: Readonly<Record<string, PoolAddress>>;
}

type Named = Pick<NamedFacts, 'namespace' | 'name'> & Partial<NamedFacts>;

/** `{}`: there is nothing to render. */
export interface RenderedText {
  readonly text?: string;
  readonly error?: string;
}

export interface RenderedPools {
  readonly pools?: Readonly<Record<string, PoolReference>>;
  readonly error?: string;
}

/** Upstream's output for a case, and ours. */
export interface Rendered {
  readonly metaData: RenderedText;
  readonly networkData: RenderedText;
  /** The pools for which claims are created. */
  readonly pools: RenderedPools;
}

interface CasesFile {
  readonly base: Omit<RenderedCase, 'name'>;
  readonly cases: readonly (Partial<RenderedCase> & { readonly name: string })[];
}

export function writtenCases(): readonly RenderedCase[] {
  const { base, cases } = parse(readFileSync(new URL('cases.yaml', import.meta.url), 'utf8')) as CasesFile;
  return cases.map((given) => ({ ...base, ...given }));
}

/** The objects of a case in the shape of their API, as `upstream/main.go` reads them. */
export function apiObjects({ metaData, networkData, data, metal3Machine, machine, host, pools }: RenderedCase): object {
  const metadata = ({ namespace, name, labels, annotations }: Named): object => ({
    namespace,
    name,
    labels,
    annotations,
  });
  const { index, ...named } = data;
  return {
    data: { metadata: named, spec: { index } },
    template: { metadata: { namespace: data.namespace, name: 'template' }, spec: { metaData, networkData } },
    metal3Machine: { metadata: metadata(metal3Machine) },
    machine: { metadata: metadata(machine) },
    host: {
      metadata: metadata(host),
      spec: { bootMACAddress: host.bootMACAddress },
      status: host.nics === undefined ? {} : { hardware: { nics: host.nics } },
    },
    pools,
  };
}

const NO_MAC = 'bad MAC address: ';
const OUR_WORDS = new RegExp(
  `^${NO_MAC}(?:none is given|NIC .+ of BareMetalHost .+ has none|annotation .+ not found or empty on .+) \\(link .+\\)$`,
);

/**
 * Our expected output for a case: that of upstream, but for an empty MAC address, where our message continues and
 * upstream's just says that it is bad (m3-C42), and for the group and kind of pools in metadata, which upstream ignores
 * (m3-C160).
 */
export function expected(theirs: Rendered, ours: Rendered, { metaData }: Pick<RenderedCase, 'metaData'>): Rendered {
  const { error } = ours.networkData;
  const isMoreWordy = theirs.networkData.error === NO_MAC && error !== undefined && OUR_WORDS.test(error);
  return {
    ...theirs,
    ...(isMoreWordy && { networkData: { error } }),
    ...(POOL_LISTS.some((list) => metaData?.[list]?.some(isOfOtherKind)) && { pools: ours.pools }),
  };
}

const POOL_LISTS = ['ipAddressesFromPool', 'prefixesFromPool', 'gatewaysFromPool', 'dnsServersFromPool'] as const;
const isOfOtherKind = ({ apiGroup = POOL_GROUP, kind = POOL_KIND }: Partial<PoolReference>): boolean =>
  apiGroup !== POOL_GROUP || kind !== POOL_KIND;

export function render({ metaData, networkData, data, pools: given, ...objects }: RenderedCase): Rendered {
  const named = <Object extends Named>(object: Object): Object & NamedFacts => ({
    labels: {},
    annotations: {},
    ...object,
  });
  const facts = {
    metal3Machine: named(objects.metal3Machine),
    machine: named(objects.machine),
    host: named(objects.host),
    pools: new Map(Object.entries(given)),
    namespace: data.namespace,
    index: data.index ?? 0,
  };
  return {
    metaData: saying(
      (): RenderedText => (metaData === undefined ? {} : { text: toYaml(renderMetaData(metaData, facts)) }),
    ),
    networkData: saying(
      (): RenderedText => (networkData === undefined ? {} : { text: toYaml(renderNetworkData(networkData, facts)) }),
    ),
    pools: saying((): RenderedPools => {
      const found = referencedPools({ metaData, networkData }, facts);
      if (found.length === 0) return {};
      return { pools: Object.fromEntries(found.map((pool) => [pool.name, pool])) };
    }),
  };
}

/** A document as YAML, without a template. */
export const renderDocument = (document: ContentMap): RenderedText =>
  saying((): RenderedText => ({ text: toYaml(readable(document)) }));

function saying<Answer extends { readonly error?: string }>(answer: () => Answer): Answer | { readonly error: string } {
  try {
    return answer();
  } catch (error) {
    if (error instanceof DataProblem) return { error: error.message };
    throw error;
  }
}
