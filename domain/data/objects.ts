import type { HostInputs, NamedFacts, PoolAddress } from './facts.ts';
import type { DataSources } from './pools.ts';

/** The objects that a Metal3Data is rendered from, reduced to the fields that are used; plain JSON. */

export interface ReferenceFacts {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface DataFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly index: number;
  readonly template?: ReferenceFacts | undefined;
  readonly claim?: ReferenceFacts | undefined;
  /** Names of the Secrets, where the spec has them. */
  readonly secrets: { readonly metaData?: string | undefined; readonly networkData?: string | undefined };
}

export interface TemplateFacts extends DataSources {
  readonly namespace: string;
  readonly name: string;
}

export interface Metal3MachineFacts extends NamedFacts {
  readonly dataTemplate?: ReferenceFacts | undefined;
}

export interface AddressClaimFacts {
  readonly name: string;
  readonly deleting: boolean;
  /** Uids of its owners. */
  readonly owners: readonly string[];
  /** It has our finalizer. */
  readonly held: boolean;
  /** Name of the allocated address. */
  readonly address?: string | undefined;
  readonly errorMessage?: string | undefined;
}

export interface DataObjects {
  readonly data: DataFacts;
  readonly template?: TemplateFacts | undefined;
  /** Why the template cannot be read. */
  readonly problem?: string | undefined;
  /** `metal3Machine` is the name of its owner. */
  readonly claim?: { readonly metal3Machine?: string | undefined } | undefined;
  readonly metal3Machine?: Metal3MachineFacts | undefined;
  readonly machine?: NamedFacts | undefined;
  readonly host?: HostInputs | undefined;
  readonly hasSecret: (name: string) => boolean;
  readonly addresses: AddressObjects;
}

/** Objects of the namespace by name. */
export interface AddressObjects {
  readonly ipClaim: (name: string) => AddressClaimFacts | undefined;
  readonly ipAddress: (name: string) => PoolAddress | undefined;
  /** Cluster API's. */
  readonly ipAddressClaim: (name: string) => AddressClaimFacts | undefined;
  /** Cluster API's. */
  readonly clusterIpAddress: (name: string) => PoolAddress | undefined;
}
