import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import type { Outcome, Step } from '../entity/entity.ts';
import type { IronicNode } from '../ironic/node/node.ts';
import type { InventoryAnswer, SecretSeen, Warning } from '../ironic/orders.ts';
import type { HostMemory } from './memory/memory.ts';
import type { Action, Operation } from './memory/task.ts';

type EntityStep = Step<HostMemory, Action>;

/** The next step. Unlike that of other kinds, it names operations and states. */
export type HostStep =
  | Exclude<EntityStep, { readonly kind: 'become' | 'wait' }>
  | { readonly kind: 'run'; readonly operation: Operation }
  /** Replaces the memory and changes the provisioning state. */
  | { readonly kind: 'become'; readonly state: ProvisioningState; readonly memory: HostMemory }
  | (Extract<EntityStep, { readonly kind: 'wait' }> & {
      /** The host waits for its turn in a budget, and keeps its position in the queue. */
      readonly inLine?: true;
    });

/** How a task ended. A failure is data: a host's workflow never fails. */
export type HostOutcome =
  | {
      readonly kind: 'done';
      readonly node?: IronicNode;
      /** Only for a registration. */
      readonly registered?: {
        readonly created: boolean;
        readonly credentialsVersion: string;
        readonly architecture?: string;
        readonly networkVersion?: string;
        readonly refusal?: string;
      };
      /** Only for an inspection. */
      readonly inventory?: InventoryAnswer;
      /** Only for the virtual drive: URL of the image in it. */
      readonly attached?: string;
      /** Only for the virtual drive: something is in it, of which nothing is known. */
      readonly holdsUnknown?: true;
      /** Only for an adoption: Ironic was asked for it. */
      readonly adopted?: true;
    }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly node?: IronicNode;
      /** Set when the BMC Secret is the cause: no retry before it changes. */
      readonly credentials?: 'missing' | 'invalid';
      readonly credentialsVersion?: string;
      /** Only for the virtual drive: URL of the image in it. */
      readonly attached?: string;
      readonly warning?: Warning;
      /** The text in this Secret is the cause, and Ironic was not asked for anything. */
      readonly wrongSecret?: SecretSeen;
    }
  /** Ironic does not know the node. Without `isCertain`, perhaps only a list of its nodes was without it. */
  | { readonly kind: 'lost'; readonly isCertain?: true }
  | Extract<Outcome<never>, { readonly kind: 'cancelled' }>;
