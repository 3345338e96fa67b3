import type {
  AdoptOrder,
  AskForPlaceOrder,
  DeleteOrder,
  DeprovisionOrder,
  ExamineOrder,
  HostRef,
  ImageOrder,
  InspectOrder,
  MediaOrder,
  PowerOrder,
  PrepareOrder,
  ProvisionOrder,
  RegisterOrder,
  ReturnPlaceOrder,
} from '../../ironic/orders.ts';

/** A task of a second or two that runs in the host's own workflow. */
export type Action =
  | { readonly name: 'register'; readonly order: RegisterOrder }
  | { readonly name: 'image'; readonly order: ImageOrder }
  | { readonly name: 'adopt'; readonly order: AdoptOrder }
  /** Whether something runs on a free host. */
  | { readonly name: 'examine'; readonly order: ExamineOrder }
  | { readonly name: 'power'; readonly order: PowerOrder }
  /** Brings the virtual drive to the DataImage's desired state. */
  | { readonly name: 'media'; readonly order: MediaOrder }
  /** A slot in Ironic, or places in budgets. */
  | { readonly name: 'ask for place'; readonly order: AskForPlaceOrder }
  | { readonly name: 'return place'; readonly order: ReturnPlaceOrder }
  /** Aborts Ironic's operation on the node, if Ironic can be stopped. */
  | { readonly name: 'abort'; readonly order: { readonly host: HostRef; readonly nodeId: string } }
  /** Deletes the node from Ironic if that succeeds at once. The host is deleted in both cases. */
  | { readonly name: 'discard'; readonly order: DeleteOrder }
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

/** Requests and returns of places. They are not shown, and change nothing on the server. */
export const isAboutTurn = ({ name }: Pick<Task, 'name'>): boolean =>
  name === 'ask for place' || name === 'return place';
