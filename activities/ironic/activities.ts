import { abortMove } from '../../domain/ironic/moves/abort.ts';
import { takesUpSlot } from '../../domain/ironic/node/in-hand.ts';
import { isOfOther } from '../../domain/ironic/node/node.ts';
import type {
  AdoptOrder,
  DeleteOrder,
  DeprovisionOrder,
  ExamineAnswer,
  ExamineOrder,
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
import type { Asking } from '../permits/permit.ts';
import { moveNode, type NodeMove } from './carry-out.ts';
import { cleaned } from './cleaned.ts';
import type { IronicClient } from './client/client.ts';
import { type ActivityCall, currentCall, type IronicLog } from './context.ts';
import { adoptNode } from './deployment/adopt.ts';
import { deployNode } from './deployment/deploy.ts';
import { examineNode } from './deployment/examine.ts';
import { prepareNode } from './deployment/prepare.ts';
import { type ProvideOrder, provideNode } from './deployment/provide.ts';
import { undeployNode } from './deployment/undeploy.ts';
import { deleteNode } from './enroll/delete.ts';
import { registerNode } from './enroll/register.ts';
import { saveInventory, startInspection } from './inspect/inspect.ts';
import { createMarkAges } from './mark-ages.ts';
import { changeMedia } from './media/media.ts';
import type { NodePoller } from './poll/poller.ts';
import { setPower } from './power/power.ts';
import type { IronicSettings } from './settings.ts';
import { explainFailure, type ReadingTools, type Tools } from './tools.ts';
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
  /** Why the node failed, in Ironic's words without a prefix; never empty. */
  readonly explainFailure: (order: NodeRef) => Promise<{ readonly message: string }>;
  /**
   * Each call is one step towards `available`: after `started` wait, and call again until `done`. With an `active` node
   * nothing was undeployed: the host asks for its image again.
   */
  readonly undeployNode: (order: DeprovisionOrder) => Promise<IronicAnswer>;
  /**
   * `done`: the node of the free host is free as well; or it is occupied, and we began to deploy it. `failed`: something
   * runs there that is not ours. Changes nothing.
   */
  readonly examineNode: (order: ExamineOrder) => Promise<ExamineAnswer>;
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

/** The activities that change nothing at Ironic. */
const READING = ['explainFailure', 'busyNodes', 'waitForNode'] as const satisfies readonly (keyof IronicActivities)[];
export type ReadingName = (typeof READING)[number];
/** The one that asks the object of its operation, and changes nothing. */
type ExaminingName = 'examineNode';
export type ChangingName = Exclude<keyof IronicActivities, ReadingName | ExaminingName>;

/**
 * The operations behind the activities. Those that change something ask the object of the operation before each
 * request.
 */
export type NodeOperations = Pick<IronicActivities, ReadingName> & {
  readonly [Name in ChangingName | ExaminingName]: (
    order: Parameters<IronicActivities[Name]>[0],
    asking: Asking,
  ) => ReturnType<IronicActivities[Name]>;
};

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

export function createIronicOperations({ ironic, call = currentCall, ...rest }: IronicDeps): NodeOperations {
  const reading = (): ReadingTools => ({ client: ironic, ...rest, call: call() });
  const markAge = createMarkAges(rest.settings.patience);
  const tools = (asking: Asking): Tools => ({ ...reading(), asking, markAge });
  const own = (order: { readonly host: HostRef }, asking: Asking): Tools => ({
    ...toolsFor(reading(), order.host),
    asking,
    markAge,
  });
  const operations: NodeOperations = {
    // A registration knows other hosts' nodes too, to name the one that has the same MAC address.
    registerNode: (order, asking) => registerNode(tools(asking), order),
    startInspection: (order, asking) => startInspection(own(order, asking), order),
    saveInventory: (order, asking) => saveInventory(own(order, asking), order),
    prepareNode: (order, asking) => prepareNode(own(order, asking), order),
    provideNode: (order, asking) => provideNode(own(order, asking), order),
    deployNode: (order, asking) => deployNode(own(order, asking), order),
    explainFailure: ({ host, nodeId }) => explainFailure(toolsFor(reading(), host), nodeId),
    undeployNode: (order, asking) => undeployNode(own(order, asking), order),
    examineNode: (order, asking) => examineNode(own(order, asking), order),
    setPower: (order, asking) => setPower(own(order, asking), order),
    changeMedia: (order, asking) => changeMedia(own(order, asking), order),
    adoptNode: (order, asking) => adoptNode(own(order, asking), order),
    deleteNode: (order, asking) => deleteNode(own(order, asking), order),
    abortNode: (order, asking) => abortNode(own(order, asking), order),
    busyNodes: async () => ({
      nodeIds: (await rest.poller.nextList(call().signal)).filter(takesUpSlot).map(({ uuid }) => uuid),
    }),
    waitForNode: (order) => waitForNode(toolsFor(reading(), order.host), order),
  };
  return cleaned(operations, rest.hostData);
}

/** Aborts Ironic's operation on the node, if its state allows that. */
async function abortNode(tools: Tools, { host, nodeId }: Pick<NodeMove, 'host' | 'nodeId'>): Promise<IronicAnswer> {
  const { canAbortDeploy } = await tools.client.version(tools.call.signal);
  return moveNode(tools, { host, nodeId, urgency: 'first', decide: (node) => abortMove(node, canAbortDeploy) });
}

/**
 * The tools for one host, to which Ironic does not know the nodes of other hosts. The id of a node comes from the
 * status of a BareMetalHost or from a message of Temporal, so it may be that of somebody else's node.
 */
function toolsFor({ client, poller, ...tools }: ReadingTools, host: HostRef): ReadingTools {
  const isForeign = (nodeId: string): boolean => {
    const name = poller.nameOf(nodeId);
    return name !== undefined && isOfOther(name, host);
  };
  return {
    ...tools,
    client: {
      ...client,
      async getNode(id, options) {
        const node = await client.getNode(id, options);
        return node !== undefined && isOfOther(node.name, host) ? undefined : node;
      },
    },
    poller: {
      ...poller,
      recent: (nodeId) => (isForeign(nodeId) ? undefined : poller.recent(nodeId)),
      async waitFor(nodeId, accepts, signal, onOutage) {
        let isOurs = true;
        const node = await poller.waitFor(
          nodeId,
          (seen, step) => {
            isOurs = !isForeign(nodeId);
            return isOurs ? accepts(seen, step) : accepts(null, undefined);
          },
          signal,
          onOutage,
        );
        return isOurs ? node : null;
      },
    },
  };
}
