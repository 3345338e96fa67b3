import { BeyondBound } from '../bounds/beyond-bound.ts';
import type { ContentMap } from './content.ts';
import { type DataInputs, DataProblem, macsOf, type PoolAddresses } from './facts.ts';
import { renderMetaData } from './meta-data.ts';
import { renderNetworkData } from './network-data.ts';
import type { DataSources } from './pools.ts';

/** What to write into a Secret, as YAML. */
export interface RenderedSecret {
  readonly key: 'metaData' | 'networkData';
  readonly name: string;
  readonly content: ContentMap;
}

/** The inputs from which the missing Secrets are rendered: the same inputs give the same content. */
export interface RenderInputs extends DataInputs {
  readonly template: DataSources;
  readonly namespace: string;
  readonly index: number;
  readonly pools: PoolAddresses;
  /** The Secrets that do not exist yet. */
  readonly secrets: readonly Pick<RenderedSecret, 'key' | 'name'>[];
}

/** `problem` is shown to users. */
export type Rendered = { readonly rendered: readonly RenderedSecret[] } | { readonly problem: string };

export function render({ template: { metaData, networkData }, secrets, host, ...rest }: RenderInputs): Rendered {
  const facts = { ...rest, host: { ...host, macs: macsOf(host.nics) } };
  try {
    const rendered = secrets.flatMap(({ key, name }): RenderedSecret[] => {
      if (key === 'metaData')
        return metaData === undefined ? [] : [{ key, name, content: renderMetaData(metaData, facts) }];
      return networkData === undefined ? [] : [{ key, name, content: renderNetworkData(networkData, facts) }];
    });
    return { rendered };
  } catch (error) {
    if (error instanceof DataProblem || error instanceof BeyondBound) return { problem: error.message };
    throw error;
  }
}
