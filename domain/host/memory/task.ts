import type {
  AskForSlotOrder,
  DeleteOrder,
  DeprovisionOrder,
  HostRef,
  ImageOrder,
  InspectOrder,
  MediaOrder,
  PowerOrder,
  PrepareOrder,
  ProvisionOrder,
  RegisterOrder,
} from '../../ironic/orders.ts';

/** A task of a second or two that runs in the host's own workflow. */
export type Action =
  | { readonly name: 'register'; readonly order: RegisterOrder }
  | { readonly name: 'image'; readonly order: ImageOrder }
  | {
      readonly name: 'adopt';
      readonly order: { readonly host: HostRef; readonly nodeId: string; readonly retry: boolean };
    }
  | { readonly name: 'power'; readonly order: PowerOrder }
  /** Brings the virtual drive to the DataImage's desired state. */
  | { readonly name: 'media'; readonly order: MediaOrder }
  | { readonly name: 'ask for slot'; readonly order: AskForSlotOrder }
  | {
      readonly name: 'return slot';
      readonly order: { readonly host: HostRef; readonly tickets: readonly string[] };
    }
  /** Removes our finalizers from Secrets, HardwareData and PreprovisioningImage. */
  | {
      readonly name: 'release';
      readonly order: {
        readonly host: HostRef;
        readonly credentialsName?: string;
        readonly preprovisioningNetworkDataName?: string;
      };
    };

/** A long task with an outcome of its own that runs as a child workflow. */
export type Operation =
  | { readonly name: 'inspect'; readonly order: InspectOrder }
  | { readonly name: 'prepare'; readonly order: PrepareOrder }
  | { readonly name: 'provision'; readonly order: ProvisionOrder }
  | { readonly name: 'deprovision'; readonly order: DeprovisionOrder }
  | { readonly name: 'delete'; readonly order: DeleteOrder }
  /** Deletes the node from Ironic and leaves the server as it is. */
  | { readonly name: 'detach'; readonly order: DeleteOrder };

export type Task = Action | Operation;
