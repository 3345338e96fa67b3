import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import type { IronicNode } from '../ironic/node/node.ts';
import type {
  AskForSlotOrder,
  DeleteOrder,
  DeprovisionOrder,
  HostRef,
  ImageOrder,
  InspectOrder,
  InventoryAnswer,
  MediaOrder,
  PowerOrder,
  PrepareOrder,
  ProvisionOrder,
  RegisterOrder,
  Warning,
} from '../ironic/orders.ts';
import type { HostMemory } from './memory/memory.ts';

/** What takes a second or two and runs in the host's own workflow. */
export type Action =
  /** Put the finalizer on the BareMetalHost before anything else exists because of it. */
  | { readonly name: 'hold' }
  | { readonly name: 'register'; readonly order: RegisterOrder }
  | { readonly name: 'image'; readonly order: ImageOrder }
  | {
      readonly name: 'adopt';
      readonly order: { readonly host: HostRef; readonly nodeId: string; readonly retry: boolean };
    }
  | { readonly name: 'power'; readonly order: PowerOrder }
  /** Bring the virtual drive to what the DataImage asks for. */
  | { readonly name: 'media'; readonly order: MediaOrder }
  | { readonly name: 'ask for slot'; readonly order: AskForSlotOrder }
  | {
      readonly name: 'return slot';
      readonly order: { readonly host: HostRef; readonly tickets: readonly string[] };
    }
  /** Take our finalizers off Secrets, HardwareData and PreprovisioningImage. */
  | {
      readonly name: 'release';
      readonly order: {
        readonly host: HostRef;
        readonly credentialsName?: string;
        readonly preprovisioningNetworkDataName?: string;
      };
    };

/** What takes long, has an outcome of its own and runs as a child workflow. */
export type Operation =
  | { readonly name: 'inspect'; readonly order: InspectOrder }
  | { readonly name: 'prepare'; readonly order: PrepareOrder }
  | { readonly name: 'provision'; readonly order: ProvisionOrder }
  | { readonly name: 'deprovision'; readonly order: DeprovisionOrder }
  | { readonly name: 'delete'; readonly order: DeleteOrder }
  /** The node leaves Ironic, the machine stays as it is. */
  | { readonly name: 'detach'; readonly order: DeleteOrder };

export type Task = Action | Operation;

/** The next step; every wait has a reason in words. */
export type Step =
  | { readonly kind: 'act'; readonly action: Action }
  | { readonly kind: 'run'; readonly operation: Operation }
  /** Take on this memory, which is in another provisioning state. */
  | { readonly kind: 'become'; readonly state: ProvisioningState; readonly memory: HostMemory }
  /** Take on this memory: something was concluded without leaving the state. */
  | { readonly kind: 'note'; readonly memory: HostMemory }
  /** Nothing is done before the host shows what it is now. */
  | { readonly kind: 'show' }
  /** Nothing to do until something changes or, with `until` (ms since the epoch), until that moment. */
  | {
      readonly kind: 'wait';
      readonly reason: string;
      readonly until?: number;
      /** Nothing is shown meanwhile, not even what is known already. */
      readonly quiet?: true;
    }
  | { readonly kind: 'gone' };

/** How a task ended. A failure is data: a host's workflow never fails. */
export type Outcome =
  | {
      readonly kind: 'done';
      readonly node?: IronicNode;
      /** Only from a registration. */
      readonly registered?: {
        readonly created: boolean;
        readonly credentialsVersion: string;
        readonly architecture?: string;
        readonly networkVersion?: string;
      };
      /** Only from an inspection. */
      readonly inventory?: InventoryAnswer;
      /** Only of the virtual drive: what is in it now. */
      readonly attached?: string;
    }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly node?: IronicNode;
      /** Set when the BMC's Secret is the reason: nothing is tried before it changes. */
      readonly credentials?: 'missing' | 'invalid';
      readonly credentialsVersion?: string;
      /** Only of the virtual drive: what is in it now. */
      readonly attached?: string;
      readonly warning?: Warning;
    }
  /** Ironic does not know the node. */
  | { readonly kind: 'lost' }
  /** Given up because the wish changed. */
  | { readonly kind: 'cancelled' };
