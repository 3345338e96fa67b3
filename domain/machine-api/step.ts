import type { Step } from '../entity/entity.ts';
import type {
  AssociateAnswer,
  AssociateOrder,
  HostChange,
  HostOrder,
  LastHostOrder,
  ReleaseOrder,
} from '../machine/memory/step.ts';
import type { MachineApiMemory } from './memory.ts';
import type { MachineName } from './snapshot.ts';

/** A Node, and the Machine for which it is changed. */
export interface OwnNodeOrder {
  readonly node: { readonly name: string; readonly uid: string };
  readonly machine: MachineName & { readonly uid: string };
}

export type MachineApiAction =
  /** Choose a host and claim it. */
  | { readonly name: 'associate'; readonly order: AssociateOrder }
  | { readonly name: 'look at last host'; readonly order: LastHostOrder }
  | { readonly name: 'fill host'; readonly order: HostOrder & { readonly change: HostChange } }
  /**
   * Writes providerID and the name of the Machine to the Node, and with `fills` the labels and taints of the Machine's
   * spec; removes the finalizer of former actuators.
   */
  | {
      readonly name: 'link node';
      readonly order: OwnNodeOrder & { readonly providerID: string; readonly fills?: boolean };
    }
  | { readonly name: 'deprovision host'; readonly order: HostOrder & { readonly change: HostChange } }
  | { readonly name: 'release host'; readonly order: ReleaseOrder }
  /** Deletes the Node after the host of a deleted Machine was released. */
  | { readonly name: 'delete node'; readonly order: OwnNodeOrder }
  | { readonly name: 'keep host off'; readonly order: HostOrder }
  /** Stores what the Node has in the Machine, and deletes the Node of the host, which is off. */
  | { readonly name: 'take node away'; readonly order: OwnNodeOrder & Pick<HostOrder, 'host'> }
  /** With a deadline, the Machine is marked first: until then its Node must be back. */
  | { readonly name: 'let host on'; readonly order: HostOrder & { readonly uid: string; readonly deadline?: string } }
  /** Gives the Node what is stored, and removes all annotations of the remediation. null: there is no Node. */
  | {
      readonly name: 'return node';
      readonly order: Pick<OwnNodeOrder, 'machine'> & { readonly node: OwnNodeOrder['node'] | null };
    }
  /** Deletes the Machine, because its Node did not come back. */
  | { readonly name: 'delete machine'; readonly order: Pick<OwnNodeOrder, 'machine'> };

export type MachineApiAnswer = AssociateAnswer | { readonly kind: 'node' } | { readonly kind: 'done' };

export type MachineApiStep = Step<MachineApiMemory, MachineApiAction>;
