import { adoptMove } from '../../domain/ironic/moves/adopt.ts';
import { provideMove } from '../../domain/ironic/moves/provide.ts';
import { takesUpSlot } from '../../domain/ironic/node/in-hand.ts';
import type {
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
import type { HostData } from '../host-data.ts';
import { moveNode } from './carry-out.ts';
import type { IronicClient } from './client/client.ts';
import { type ActivityCall, currentCall } from './context.ts';
import { deployNode } from './deployment/deploy.ts';
import { prepareNode } from './deployment/prepare.ts';
import { undeployNode } from './deployment/undeploy.ts';
import { deleteNode } from './enroll/delete.ts';
import { registerNode } from './enroll/register.ts';
import { saveInventory, startInspection } from './inspect/inspect.ts';
import { changeMedia } from './media/media.ts';
import type { IronicLog, NodePoller } from './poll/poller.ts';
import { waitForNode } from './poll/wait-for-node.ts';
import { setPower } from './power/power.ts';
import type { IronicSettings } from './settings.ts';
import type { Tools } from './tools.ts';
import { explainFailure } from './tools.ts';

/** A node and whether an earlier failure of it is to be overcome rather than reported. */
export interface NodeRetry {
  readonly host: HostRef;
  readonly nodeId: string;
  readonly retry: boolean;
}

/** Which node of which host. */
export interface NodeRef {
  readonly host: HostRef;
  readonly nodeId: string;
}

/**
 * What a host's workflow can have done to its node. Every one is idempotent: called again after a crash or a lost
 * answer it goes on where Ironic is. Texts of failures are Ironic's own, never empty, and without the words that the
 * API puts before some of them; `setPower` alone gives them complete.
 */
export interface IronicActivities {
  readonly registerNode: (order: RegisterOrder) => Promise<RegisterAnswer>;
  /** `done`: an inventory is there and nobody asked for a new one. */
  readonly startInspection: (order: InspectOrder) => Promise<IronicAnswer>;
  /** Stores what inspection found as HardwareData and gives Ironic the ports it lacks. */
  readonly saveInventory: (order: NodeRef) => Promise<InventoryAnswer>;
  /** `done`: nothing of it needs work on the machine. After `started` the node comes to rest in `manageable`. */
  readonly prepareNode: (order: PrepareOrder) => Promise<IronicAnswer>;
  /** `done`: the node is available, or past it. */
  readonly provideNode: (order: NodeRetry) => Promise<IronicAnswer>;
  /** `done`: the node runs this very image. */
  readonly deployNode: (order: ProvisionOrder) => Promise<IronicAnswer>;
  /** Why the node failed, in Ironic's words without any prefix; never empty. */
  readonly explainFailure: (order: { readonly nodeId: string }) => Promise<{ readonly message: string }>;
  /** One step towards `available` a call: wait after `started` and call again until `done`. */
  readonly undeployNode: (order: DeprovisionOrder) => Promise<IronicAnswer>;
  readonly setPower: (order: PowerOrder) => Promise<IronicAnswer>;
  /** One change of the virtual drive a call: after `started` wait until the node is free, and call again. */
  readonly changeMedia: (order: MediaOrder) => Promise<MediaAnswer>;
  readonly adoptNode: (order: NodeRetry) => Promise<IronicAnswer>;
  /** One step towards being gone a call: `lost` is success, after `started` wait for rest and call again. */
  readonly deleteNode: (order: DeleteOrder) => Promise<IronicAnswer>;
  /** Nodes that take up a place among those Ironic may have in hand, as listed after the call. */
  readonly busyNodes: () => Promise<{ readonly nodeIds: readonly string[] }>;
  /** Resolves with the node as it is once it is so; waits through outages of Ironic. */
  readonly waitForNode: (order: WaitOrder) => Promise<WaitAnswer>;
}

export interface IronicDeps {
  readonly ironic: IronicClient;
  readonly poller: NodePoller;
  readonly hostData: HostData;
  readonly settings: IronicSettings;
  readonly log: IronicLog;
  /** What an activity knows of its own call; Temporal's own by default. */
  readonly call?: () => ActivityCall;
}

export function createIronicActivities({ ironic, call = currentCall, ...rest }: IronicDeps): IronicActivities {
  const tools = (): Tools => ({ client: ironic, ...rest, call: call() });
  return {
    registerNode: (order) => registerNode(tools(), order),
    startInspection: (order) => startInspection(tools(), order),
    saveInventory: (order) => saveInventory(tools(), order),
    prepareNode: (order) => prepareNode(tools(), order),
    provideNode: ({ nodeId, retry }) => moveNode(tools(), nodeId, (node) => provideMove(node, { retry })),
    deployNode: (order) => deployNode(tools(), order),
    explainFailure: ({ nodeId }) => explainFailure(tools(), nodeId),
    undeployNode: (order) => undeployNode(tools(), order),
    setPower: (order) => setPower(tools(), order),
    changeMedia: (order) => changeMedia(tools(), order),
    adoptNode: ({ nodeId, retry }) => moveNode(tools(), nodeId, (node) => adoptMove(node, { retry })),
    deleteNode: (order) => deleteNode(tools(), order),
    busyNodes: async () => ({
      nodeIds: (await rest.poller.nextList(call().signal)).filter(takesUpSlot).map(({ uuid }) => uuid),
    }),
    waitForNode: (order) => waitForNode(tools(), order),
  };
}
