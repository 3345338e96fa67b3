import { ApplicationFailure } from '@temporalio/common';

/** All that callers may branch on. */
export type IronicErrorType =
  /** No answer: down, restarting, or cut off while answering. */
  | 'IronicUnreachable'
  /** The node is locked, or Ironic has no hands free. */
  | 'IronicBusy'
  /** Ironic broke while working on the request. */
  | 'IronicBroken'
  /** Ironic does not accept our login. */
  | 'IronicUnauthorized'
  /** Ironic's API is too old, or it has no drivers. */
  | 'IronicUnusable'
  /** Ironic answered what nobody can make sense of. */
  | 'IronicUnreadable'
  /** Ironic understood and refused. */
  | 'IronicRefused'
  /** Ironic keeps its hands off the node until a fault has gone. */
  | 'NodeInFault';

/** Retrying can't help, a changed spec can. */
const FINAL: readonly IronicErrorType[] = ['IronicRefused'];

export interface IronicErrorOptions {
  readonly type: IronicErrorType;
  readonly message: string;
  /** HTTP status, when Ironic answered. */
  readonly status?: number;
  /** Ironic's own words. */
  readonly said?: string;
  readonly cause?: unknown;
}

/** What went wrong between us and Ironic: its type is the same in workflows, where it arrives as an ApplicationFailure. */
export class IronicError extends ApplicationFailure {
  readonly status: number | undefined;
  readonly said: string;

  constructor({ type, message, status, said, cause }: IronicErrorOptions) {
    super(message, type, FINAL.includes(type), undefined, cause instanceof Error ? cause : undefined);
    this.status = status;
    this.said = said ?? message;
  }
}

/** True for a refusal with this HTTP status. */
export const isIronicRefusal = (error: unknown, ...statuses: readonly number[]): error is IronicError =>
  error instanceof IronicError && error.type === 'IronicRefused' && statuses.includes(error.status ?? 0);

export const isBusyError = (error: unknown): error is IronicError =>
  error instanceof IronicError && error.type === 'IronicBusy';

/** Ironic is at something else with the node: worth another try soon. */
export const nodeBusy = (nodeId: string, doing: string, because: string): IronicError =>
  new IronicError({ type: 'IronicBusy', message: `can't ${doing} node ${nodeId} now: ${because}`, said: because });

export const nodeInFault = (nodeId: string, fault: string, reason: string | null): IronicError =>
  new IronicError({
    type: 'NodeInFault',
    message: `Ironic holds node ${nodeId} in maintenance because of a ${fault}${reason === null ? '' : `: ${reason}`}`,
    said: reason ?? fault,
  });
