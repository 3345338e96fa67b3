import { takesUpSlot } from '../../domain/ironic/node/in-hand.ts';
import type {
  AdoptOrder,
  DeleteOrder,
  DeprovisionOrder,
  HostRef,
  InspectOrder,
  InventoryAnswer,
  IronicAnswer,
  MediaAnswer,
  MediaOrder,
  PowerOrder,
  PrepareOrder,
  ProvisionOrder,
  RegisterAnswer,
  RegisterOrder,
  WaitAnswer,
  WaitOrder,
} from '../../domain/ironic/orders.ts';
import type { SignalFailing } from '../../platform/temporal/failing-requests.ts';
import type { HostData } from '../host-data.ts';
import { abortNode } from './abort-node.ts';
import { cleaned } from './cleaned.ts';
import type { IronicClient } from './client/client.ts';
import { type ActivityCall, currentCall } from './context.ts';
import { adoptNode } from './deployment/adopt.ts';
import { deployNode } from './deployment/deploy.ts';
import { prepareNode } from './deployment/prepare.ts';
import { type ProvideOrder, provideNode } from './deployment/provide.ts';
import { undeployNode } from './deployment/undeploy.ts';
import { deleteNode } from './enroll/delete.ts';
import { registerNode } from './enroll/register.ts';
import { saveInventory, startInspection } from './inspect/inspect.ts';
import type { IronicLog } from './log.ts';
import { changeMedia } from './media/media.ts';
import { toolsFor } from './own-nodes.ts';
import type { NodePoller } from './poll/poller.ts';
import { setPower } from './power/power.ts';
import type { IronicSettings } from './settings.ts';
import { explainFailure, type Tools } from './tools.ts';
import { waitForNode } from './wait-for-node.ts';

/** A host and its node. */
export interface NodeRef {
  readonly host: HostRef;
  readonly nodeId: string;
}

/**
 * The operations on the node of a host. All are idempotent: after a crash or a lost answer they continue from Ironic's
 * state. Messages of failures are Ironic's own, never empty, and without the prefixes that the API adds to some; only
 * `setPower` returns complete ones.
 */
export interface IronicActivities {
  readonly registerNode: (order: RegisterOrder) => Promise<RegisterAnswer>;
  /** `done`: an inventory exists and no new one was requested. */
  readonly startInspection: (order: InspectOrder) => Promise<IronicAnswer>;
  /** Stores the result of the inspection as HardwareData and creates missing ports in Ironic. */
  readonly saveInventory: (order: NodeRef) => Promise<InventoryAnswer>;
  /** `done`: nothing needs a change on the server. After `started` the node ends in `manageable`. */
  readonly prepareNode: (order: PrepareOrder) => Promise<IronicAnswer>;
  /** `done`: the node is available, or beyond. */
  readonly provideNode: (order: ProvideOrder) => Promise<IronicAnswer>;
  /** `done`: the node runs this image. */
  readonly deployNode: (order: ProvisionOrder) => Promise<IronicAnswer>;
  /** Why the node failed, in Ironic's words without a prefix; never empty. Older runs name no host. */
  readonly explainFailure: (order: {
    readonly nodeId: string;
    readonly host?: HostRef;
  }) => Promise<{ readonly message: string }>;
  /**
   * Each call is one step towards `available`: after `started` wait, and call again until `done`. With an `active` node
   * nothing was undeployed: the host asks for its image again.
   */
  readonly undeployNode: (order: DeprovisionOrder) => Promise<IronicAnswer>;
  readonly setPower: (order: PowerOrder) => Promise<IronicAnswer>;
  /** Each call makes one change of the virtual drive: after `started` wait until the node is free, and call again. */
  readonly changeMedia: (order: MediaOrder) => Promise<MediaAnswer>;
  /** `done`: Ironic knows that the node is in use, and by which image. */
  readonly adoptNode: (order: AdoptOrder) => Promise<IronicAnswer>;
  /** Each call is one step of the deletion: `lost` is success; after `started` wait for rest and call again. */
  readonly deleteNode: (order: DeleteOrder) => Promise<IronicAnswer>;
  /**
   * Aborts Ironic's operation on the node if its state allows that. The caller repeats the request until the node is
   * idle.
   */
  readonly abortNode: (order: NodeRef) => Promise<IronicAnswer>;
  /** Nodes that use a slot, from a list that began after the call. */
  readonly busyNodes: () => Promise<{ readonly nodeIds: readonly string[] }>;
  /** Resolves with the node when it is in the requested state; waits through short outages of Ironic. */
  readonly waitForNode: (order: WaitOrder) => Promise<WaitAnswer>;
}

/** The activities that look at nothing but lists of Ironic's nodes. */
export type IronicWaits = Pick<IronicActivities, 'waitForNode' | 'busyNodes'>;
/** The activities that send requests of their own to Ironic. */
export type IronicRequests = Omit<IronicActivities, keyof IronicWaits>;

export interface IronicDeps {
  readonly ironic: IronicClient;
  readonly poller: NodePoller;
  readonly hostData: HostData;
  readonly settings: IronicSettings;
  readonly log: IronicLog;
  /** Signals workflows about an outage of Ironic. */
  readonly tell: SignalFailing;
  /** The context of the running activity; Temporal's own by default. */
  readonly call?: () => ActivityCall;
}

export function createIronicActivities({ ironic, call = currentCall, ...rest }: IronicDeps): IronicActivities {
  const tools = (): Tools => ({ client: ironic, ...rest, call: call() });
  const own = (order: { readonly host: HostRef }): Tools => toolsFor(tools(), order.host);
  const activities: IronicActivities = {
    // A registration knows other hosts' nodes too, to name the one that has the same MAC address.
    registerNode: (order) => registerNode(tools(), order),
    startInspection: (order) => startInspection(own(order), order),
    saveInventory: (order) => saveInventory(own(order), order),
    prepareNode: (order) => prepareNode(own(order), order),
    provideNode: (order) => provideNode(own(order), order),
    deployNode: (order) => deployNode(own(order), order),
    explainFailure: ({ host, nodeId }) =>
      explainFailure(host === undefined ? tools() : toolsFor(tools(), host), nodeId),
    undeployNode: (order) => undeployNode(own(order), order),
    setPower: (order) => setPower(own(order), order),
    changeMedia: (order) => changeMedia(own(order), order),
    adoptNode: (order) => adoptNode(own(order), order),
    deleteNode: (order) => deleteNode(own(order), order),
    abortNode: (order) => abortNode(own(order), order.nodeId),
    busyNodes: async () => ({
      nodeIds: (await rest.poller.nextList(call().signal)).filter(takesUpSlot).map(({ uuid }) => uuid),
    }),
    waitForNode: (order) => waitForNode(own(order), order),
  };
  return cleaned(activities, rest.hostData);
}
