import {
  explained,
  type Mark,
  type MarkedRequest,
  markText,
  type Unsettled,
  unsettled,
} from '../../domain/ironic/mark.ts';
import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { NodeJson } from '../../domain/ironic/node/node-json.ts';
import type { PatchOperation } from '../../domain/ironic/node/patch.ts';
import { isOccupied } from '../../domain/ironic/occupied.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import { PermitExpired, Withheld } from '../permits/withheld.ts';
import type { CallOptions, ChangeOptions } from './client/client.ts';
import { IronicError, isIronicRefusal } from './client/errors.ts';
import type { Urgency } from './client/places.ts';
import { isNotSent, pauseFor } from './client/transport.ts';
import type { Tools } from './tools.ts';

/** The place of an operation among those that change something at Ironic. What is decided in it is sent from it. */
export interface NodeTurn {
  /** 1 for the first; the work is repeated, with a new place, when Ironic was busy. */
  readonly attempt: number;
  /**
   * Reads the node. undefined: Ironic does not know it.
   *
   * @throws IronicBusy while an earlier request about the node, whose answer was lost, may still be carried out.
   */
  look(nodeId: string): Promise<NodeJson | undefined>;
  /**
   * Reads the node that an earlier request, whose answer was lost, may have created. undefined: there is none, and none
   * will be.
   *
   * @throws IronicBusy while Ironic may still create it.
   */
  lookForCreated(): Promise<NodeJson | undefined>;
  /** The node has what the object asks for: whose deployment it is need not be remembered. */
  settle(): void;
  /**
   * Reads the object that has to ask for the request, and sends it. With a mark, the request stands on the object until
   * Ironic has answered.
   *
   * @throws Withheld when the object does not ask for it now.
   */
  send<T>(nodeId: string, request: (change: ChangeOptions) => Promise<T>, mark?: MarkedRequest): Promise<T>;
}

export interface TurnOptions {
  readonly host: HostRef;
  readonly urgency?: Urgency;
  /** Errors besides those of a busy Ironic after which the node is looked at again. */
  readonly isWorthAnotherLook?: (error: unknown) => boolean;
}

/**
 * Waits for a place and does the work in it. When Ironic was busy, or nothing could be sent, the place is left, and after
 * a pause the work is done again from its beginning, in another place and with new reads.
 */
export async function inTurn<T>(
  tools: Tools,
  { host, urgency = 'usual', isWorthAnotherLook = () => false }: TurnOptions,
  work: (turn: NodeTurn) => Promise<T>,
): Promise<T> {
  const { client, call, asking } = tools;
  const wish = { urgency, namespace: host.namespace, signal: call.signal };
  const marks: Marks = { isMarked: false, isUnanswered: false, settled: undefined };
  let repetitions = 0;
  try {
    for (let attempt = 1; ; attempt++) {
      let hasPlace = false;
      try {
        return await client.places.within(wish, async () => {
          hasPlace = true;
          await asking.refresh();
          return work(turnOf(tools, attempt, marks));
        });
      } catch (error) {
        if (!hasPlace && isTimeout(call.signal)) throw withoutTurn(host, client.places.waiting);
        call.signal.throwIfAborted();
        const isLate = error instanceof PermitExpired;
        const pause = client.pausesMs[repetitions];
        if (pause === undefined && isLate) throw notInTime(host, attempt, error);
        if (pause === undefined || !(isLate || isPassing(error) || isWorthAnotherLook(error))) throw error;
        repetitions += 1;
        await pauseFor(pause, call.signal);
      }
    }
  } finally {
    if (marks.isMarked ? !marks.isUnanswered : isSettled(asking.earlier, marks)) asking.settle();
  }
}

/** Ironic has certainly not begun with the request: it was busy, was replaced by one with other versions, or got nothing. */
const isPassing = (error: unknown): boolean =>
  isNotSent(error) ||
  isIronicRefusal(error, 406) ||
  (error instanceof IronicError && error.type === 'IronicBusy' && error.status !== undefined);

/** The time of the activity is over; it was not cancelled. */
const isTimeout = ({ aborted, reason }: AbortSignal): boolean =>
  aborted && reason instanceof DOMException && reason.name === 'TimeoutError';

/** The next attempt waits again, behind the others of its namespace. */
function withoutTurn({ name }: HostRef, others: number): IronicError {
  const said = `Ironic takes changes more slowly than they come: ${others} more wait for their turn in this worker`;
  return new IronicError({ type: 'IronicBusy', said, message: `BareMetalHost ${name} has had no turn: ${said}` });
}

/** The API server or Ironic answers too slowly, again and again, or this computer stands still. */
function notInTime({ name }: HostRef, attempts: number, { message: said }: PermitExpired): IronicError {
  const message = `BareMetalHost ${name}: ${said}, in ${attempts} attempts in a row`;
  return new IronicError({ type: 'IronicBusy', said, message });
}

interface Marks {
  /** A request of this operation stands on the object. */
  isMarked: boolean;
  /** The answer to the last request that was marked is not known. */
  isUnanswered: boolean;
  /** What became of the request with this mark, of an earlier operation or another process, is known. */
  settled: string | undefined;
}

/** The mark that is known now, which another process may have written meanwhile, is the one whose end is known. */
const isSettled = (earlier: Mark | undefined, { settled }: Marks): boolean =>
  earlier !== undefined && settled === markText(earlier);

function turnOf({ client, call, poller, asking, settings, markAge }: Tools, attempt: number, marks: Marks): NodeTurn {
  const { signal } = call;
  return {
    attempt,

    async look(nodeId) {
      const node = await client.getNode(nodeId, { signal });
      const { earlier } = asking;
      if (earlier === undefined || isSettled(earlier, marks)) return node;
      // Only the node with its name says whether it was created.
      if (earlier.request === 'create' && node?.name !== earlier.nodeId) return node;
      const problem = node && unsettled(earlier, nodeFacts(node), markAge(earlier), settings.patience);
      if (problem !== undefined) throw notSettled(nodeId, earlier.request, problem);
      // The mark of a deployment says whose it is, as long as the node has it.
      if (earlier.request !== 'active' || node === undefined || !isOccupied(nodeFacts(node)))
        marks.settled = markText(earlier);
      return node;
    },

    async lookForCreated() {
      const { earlier } = asking;
      if (earlier?.request !== 'create' || isSettled(earlier, marks)) return undefined;
      const node = await this.look(earlier.nodeId);
      const forMs = settings.patience.longestRequestMs - markAge(earlier);
      if (node === undefined && forMs > 0)
        throw notSettled(earlier.nodeId, earlier.request, { kind: 'may begin', forMs });
      marks.settled = markText(earlier);
      return node;
    },

    settle() {
      if (asking.earlier !== undefined) marks.settled = markText(asking.earlier);
    },

    async send(nodeId, request, mark) {
      // Known already, unless Ironic was replaced: it must not be asked between the read and the request.
      await client.version(signal);
      const permit = await asking.permit(mark && { request: mark, nodeId });
      if (mark !== undefined) Object.assign(marks, { isMarked: true, isUnanswered: true });
      poller.changed(nodeId);
      try {
        const answer = await request({ permit, signal });
        if (mark !== undefined) marks.isUnanswered = false;
        return answer;
      } catch (error) {
        if (mark !== undefined) marks.isUnanswered = !isAnswer(error);
        throw error;
      } finally {
        poller.changed(nodeId);
      }
    },
  };
}

/**
 * True when Ironic has decided about the request, or has not got it. An error of a server, which may be a proxy, decides
 * nothing, except that Ironic is busy.
 */
const isAnswer = (error: unknown): boolean =>
  error instanceof PermitExpired ||
  error instanceof Withheld ||
  isNotSent(error) ||
  (error instanceof IronicError &&
    error.status !== undefined &&
    ((error.status < 500 && error.type !== 'IronicBroken') || error.type === 'IronicBusy'));

/** A lock that is overdue is a failure, which people see; anything else is looked at again later. */
function notSettled(nodeId: string, request: MarkedRequest, problem: Unsettled): IronicError {
  const said = explained(request, problem);
  const message = `can't tell what is so of node ${nodeId}: ${said}`;
  if (problem.kind === 'locked' && problem.isOverdue)
    return new IronicError({ type: 'IronicRefused', status: 409, message, said });
  return new IronicError({
    type: 'IronicBusy',
    message,
    said,
    ...(problem.kind === 'may begin' && { againInMs: problem.forMs }),
  });
}

/** Patches a node; does nothing when there is no difference. */
export async function patched(
  { client }: Tools,
  turn: NodeTurn,
  node: NodeJson,
  patch: readonly PatchOperation[],
  options: CallOptions = {},
): Promise<NodeJson> {
  if (patch.length === 0) return node;
  return turn.send(node.uuid, (change) => client.patchNode(node.uuid, patch, { ...options, ...change }));
}
