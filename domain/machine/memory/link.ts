import type { ConditionReason } from './conditions.ts';

/** Format of new providerIDs: `names` as upstream writes them today, `uid` as earlier. */
export type ProviderIdFormat = 'names' | 'uid';

/** What identifies the Node of a machine. */
export interface LinkOrder {
  readonly cluster: { readonly namespace: string; readonly name: string };
  readonly host: { readonly name: string; readonly uid: string };
  readonly machine: { readonly namespace: string; readonly name: string };
  /** The Metal3Machine's providerID, '' when it has none yet. */
  readonly providerID: string;
  readonly format: ProviderIdFormat;
  /** A cloud provider sets the providerIDs of Nodes. */
  readonly cloudProvider: boolean;
  /** The Machine has a bootstrap config, which labels its Node. */
  readonly labelled: boolean;
  readonly hostnames: readonly string[];
}

export type LinkAnswer =
  /** `write`: the Node does not have the providerID yet. */
  | {
      readonly kind: 'linked';
      readonly node: string;
      readonly providerID: string;
      readonly write: boolean;
      /** How it was found. */
      readonly by: 'providerID' | 'cloud provider' | 'label' | 'host name';
    }
  /** The Node must be searched again. `providerID`: the machine has one before its Node is seen. */
  | {
      readonly kind: 'absent';
      readonly reason: ConditionReason;
      readonly message: string;
      readonly providerID?: string;
    }
  /** Cannot be resolved without a change by a person. */
  | { readonly kind: 'refused'; readonly reason: ConditionReason; readonly message: string };
