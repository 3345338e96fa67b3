import { ApplicationFailure } from '@temporalio/common';

/** All error types that callers distinguish. */
export type IronicErrorType =
  /** No answer: Ironic is down, restarting, or the connection broke during the answer. */
  | 'IronicUnreachable'
  /** The node is locked, or Ironic has no free workers. */
  | 'IronicBusy'
  /** Ironic failed while processing the request. */
  | 'IronicBroken'
  /** Ironic does not accept our credentials. */
  | 'IronicUnauthorized'
  /** Ironic's API is too old, or it has no drivers. */
  | 'IronicUnusable'
  /** Ironic's response could not be parsed. */
  | 'IronicUnreadable'
  /** Ironic understood and refused. */
  | 'IronicRefused'
  /** Ironic, which lists its nodes, says that it does not know this one. */
  | 'NodeGone'
  /** Ironic does nothing with the node until a fault is gone. */
  | 'NodeInFault';

/** A retry cannot help, a changed spec can. */
const FINAL: readonly IronicErrorType[] = ['IronicRefused', 'NodeGone'];

/** HTTP status of an Ironic with other API versions than the one that was asked for them: it has decided nothing. */
const OTHER_VERSIONS = 406;

export interface IronicErrorOptions {
  readonly type: IronicErrorType;
  readonly message: string;
  /** HTTP status, when Ironic answered. */
  readonly status?: number;
  /** Ironic's own message. */
  readonly said?: string;
  readonly cause?: unknown;
  /** Milliseconds after which another try may have another result; by default as the retry policy says. */
  readonly againInMs?: number;
}

/** An error between us and Ironic. Its type is the same in workflows, where it arrives as an ApplicationFailure. */
export class IronicError extends ApplicationFailure {
  readonly status: number | undefined;
  readonly said: string;

  constructor({ type, message, status, said, cause, againInMs }: IronicErrorOptions) {
    const isFinal = FINAL.includes(type) && status !== OTHER_VERSIONS;
    super(message, type, isFinal, undefined, cause instanceof Error ? cause : undefined, againInMs);
    this.status = status;
    this.said = said ?? message;
  }
}

/** True for a refusal; with HTTP statuses: for one with any of these. That of an Ironic with other versions is none. */
export const isIronicRefusal = (error: unknown, ...statuses: readonly number[]): error is IronicError =>
  error instanceof IronicError &&
  error.type === 'IronicRefused' &&
  (statuses.length === 0 ? error.status !== OTHER_VERSIONS : statuses.includes(error.status ?? 0));

/**
 * The one place that decides whether a node is gone: what Ironic itself says of this very node. Anything else that
 * answers 404, such as a proxy without a backend, is an Ironic that does not answer.
 */
export const saysNodeIsGone = (error: unknown, nodeId: string): error is IronicError =>
  isIronicRefusal(error, 404) && error.said.includes(nodeId) && /^Node \S+ could not be found/.test(error.said);

export const isNodeGone = (error: unknown): error is IronicError =>
  error instanceof IronicError && error.type === 'NodeGone';

export const isBusyError = (error: unknown): error is IronicError =>
  error instanceof IronicError && error.type === 'IronicBusy';

/** Ironic is busy with the node: retry soon. */
export const nodeBusy = (nodeId: string, doing: string, because: string): IronicError =>
  new IronicError({ type: 'IronicBusy', message: `can't ${doing} node ${nodeId} now: ${because}`, said: because });

export const nodeInFault = (nodeId: string, fault: string, reason: string | null): IronicError =>
  new IronicError({
    type: 'NodeInFault',
    message: `Ironic holds node ${nodeId} in maintenance because of a ${fault}${reason === null ? '' : `: ${reason}`}`,
    said: reason ?? fault,
  });
