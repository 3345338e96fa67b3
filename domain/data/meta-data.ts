import type { MetaData } from '../../api/metal3datatemplate/schema.ts';
import { type ContentMap, readable } from './content.ts';
import { madeOf } from './draft.ts';
import {
  annotationOf,
  type DataInputs,
  DataProblem,
  type HostInputs,
  macOfNic,
  objectNamed,
  type PoolAddress,
  type PoolAddresses,
} from './facts.ts';

export interface MetaDataFacts extends DataInputs {
  /** Of the Metal3Data. */
  readonly namespace: string;
  /** Of the Metal3Data. */
  readonly index: number;
  readonly pools: PoolAddresses;
}

/** The metadata of a config drive: a map of texts. When several groups have the same key, the later group wins. */
export function renderMetaData(template: MetaData, facts: MetaDataFacts): ContentMap {
  const values = new Map<string, string>();
  const set = <Item extends { readonly key: string }>(
    items: readonly Item[] | undefined,
    value: (item: Item) => string,
  ): void => {
    for (const item of items ?? []) values.set(item.key, value(item));
  };
  const { pools, host, metal3Machine } = facts;
  set(template.fromHostInterfaces, (item) => interfaceMac(item, host));
  set(template.ipAddressesFromPool, ({ name }) => pooled(pools, name).address);
  set(template.prefixesFromPool, ({ name }) => prefixText(pooled(pools, name), name));
  set(template.gatewaysFromPool, ({ name }) => pooled(pools, name).gateway ?? '');
  set(template.indexes, (item) => indexText(item, facts.index));
  set(template.namespaces, () => facts.namespace);
  set(template.objectNames, ({ object }) => objectNamed(object, facts).name);
  set(template.fromLabels, ({ object, label }) => objectNamed(object, facts).labels[label] ?? '');
  set(template.fromAnnotations, (item) => annotationOf(item, facts));
  set(template.strings, ({ value }) => value);
  values.set('providerid', `${metal3Machine.namespace}/${host.name}/${metal3Machine.name}`);
  return readable(madeOf(Object.fromEntries(values)));
}

type ItemOf<List extends keyof MetaData> = NonNullable<MetaData[List]>[number];

function interfaceMac(item: ItemOf<'fromHostInterfaces'>, host: HostInputs): string {
  if (item.fromBootMAC !== true) return macOfNic(item.interface ?? '', host);
  const { bootMACAddress = '' } = host;
  if (bootMACAddress !== '') return bootMACAddress;
  throw new DataProblem(
    `metadata key ${JSON.stringify(item.key)}: BareMetalHost ${host.namespace}/${host.name} spec.bootMACAddress is empty`,
  );
}

function pooled(pools: PoolAddresses, name: string): PoolAddress {
  const found = pools.get(name);
  if (found === undefined) throw new DataProblem('pool not found in cache');
  return found;
}

function prefixText({ prefix }: PoolAddress, pool: string): string {
  if (prefix === undefined) throw new DataProblem(`the address from pool ${pool} has no prefix`);
  return String(prefix);
}

/** 32-bit arithmetic, as upstream. */
function indexText({ prefix = '', offset = 0, step, suffix = '' }: ItemOf<'indexes'>, index: number): string {
  return `${prefix}${(offset + Math.imul(index, step === 0 ? 1 : step)) | 0}${suffix}`;
}
