import { BOUNDS } from '../bounds/bounds.ts';
import { maybeJson } from '../bounds/json.ts';
import type { IronicNode, NodeState } from './node/node.ts';

/** The requests that stand on the BareMetalHost until Ironic has answered them. */
export const MARKED_REQUESTS = ['create', 'active', 'deleted', 'power on', 'power off', 'reboot', 'delete'] as const;
export type MarkedRequest = (typeof MARKED_REQUESTS)[number];

/** A request that was sent to Ironic, or was about to be, and whose answer is not known. */
export interface Mark {
  readonly request: MarkedRequest;
  /** Of a node that is to be created, its name. */
  readonly nodeId: string;
  /** Of the BareMetalHost: a mark on a recreated or copied object does not count. */
  readonly uid: string;
  /** RFC 3339. */
  readonly at: string;
}

export const markText = (mark: Mark): string => JSON.stringify(mark);

/** The mark in the text of an annotation, which anybody may have written; undefined: no mark of this object. */
export function readMark(text: string | undefined, uid: string): Mark | undefined {
  const value = text === undefined ? undefined : maybeJson(text, BOUNDS.annotation);
  if (typeof value !== 'object' || value === null) return undefined;
  const mark = value as Readonly<Record<string, unknown>>;
  const isMark =
    typeof mark['nodeId'] === 'string' &&
    mark['uid'] === uid &&
    Number.isFinite(Date.parse(String(mark['at']))) &&
    MARKED_REQUESTS.some((request) => request === mark['request']);
  return isMark ? (mark as unknown as Mark) : undefined;
}

/** States which a node reaches only by that request, from the states in which it is sent. */
const EFFECT: Readonly<Record<MarkedRequest, readonly NodeState[]>> = {
  create: [],
  active: ['deploying', 'wait call-back', 'active'],
  deleted: ['deleting', 'cleaning', 'clean wait', 'clean failed', 'available'],
  'power on': [],
  'power off': [],
  reboot: [],
  delete: [],
};

/** True when the node has, or is on its way to, the power that was asked for. */
function hasPower(
  request: MarkedRequest,
  { poweredOn, powerPending }: Pick<IronicNode, 'poweredOn' | 'powerPending'>,
): boolean {
  switch (request) {
    case 'power on':
      return powerPending || poweredOn === true;
    case 'power off':
      return powerPending || poweredOn === false;
    case 'reboot':
      return powerPending;
    case 'create':
    case 'active':
    case 'deleted':
    case 'delete':
      return false;
  }
}

/** Why nothing about a node may be believed yet. */
export type Unsettled =
  /** Ironic may still begin with the request, for as many milliseconds. */
  | { readonly kind: 'may begin'; readonly forMs: number }
  /** Ironic holds the node's lock. `isOverdue`: for longer than any request takes. */
  | { readonly kind: 'locked'; readonly isOverdue: boolean };

/** What has to be waited for, in words that follow the name of the node. */
export function explained(request: MarkedRequest, problem: Unsettled): string {
  const asked = `Ironic has not answered the request '${request}'`;
  if (problem.kind === 'may begin')
    return `${asked} and may still begin with it for ${Math.ceil(problem.forMs / 1_000)} s`;
  return problem.isOverdue
    ? `${asked}, and holds the lock of the node for longer than any request takes: the conductor that took it may be dead`
    : `${asked}, and holds the lock of the node`;
}

export interface Patience {
  /** The longest time (ms) after which Ironic still begins with a request. */
  readonly longestRequestMs: number;
  /** A lock that is held for longer (ms) is one that nobody will release. */
  readonly lockDeadlineMs: number;
}

/**
 * Why a request with this mark may still be carried out; undefined: it was carried out, or never will be. `age`: for how
 * many milliseconds it has been without an answer.
 */
export function unsettled(
  mark: Mark,
  node: Pick<IronicNode, 'id' | 'state' | 'poweredOn' | 'powerPending' | 'locked'>,
  age: number,
  { longestRequestMs, lockDeadlineMs }: Patience,
): Unsettled | undefined {
  if (mark.nodeId !== node.id || EFFECT[mark.request].includes(node.state)) return undefined;
  if (hasPower(mark.request, node)) return undefined;
  const forMs = longestRequestMs - age;
  if (forMs > 0) return { kind: 'may begin', forMs };
  if (node.locked === true) return { kind: 'locked', isOverdue: age > lockDeadlineMs };
  return undefined;
}

/**
 * True when the mark explains that the node changed at that time (ms): within the longest time in which Ironic begins
 * with the request. Older marks may come from a backup of etcd.
 */
export function explains(mark: Mark, changedAt: number, { longestRequestMs }: Patience): boolean {
  const after = changedAt - Date.parse(mark.at);
  return after >= -CLOCK_DIFFERENCE && after <= longestRequestMs + CLOCK_DIFFERENCE;
}

/** Maximum difference (ms) between the clocks of Ironic and of a worker. */
const CLOCK_DIFFERENCE = 30_000;
