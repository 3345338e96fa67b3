import { ApplicationFailure } from '@temporalio/common';
import { KubeError, lacksRight, mayPass } from '../../kube/client.ts';

/**
 * True for an answer of the API server that a retry would not change. A right that is missing counts: the domain tries
 * again later, or goes on without.
 */
export const isApiRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.status >= 400 && error.status < 500 && !mayPass(error);

/**
 * True for an answer that may concern this request alone: a refusal, or an error of the server, which also stands for a
 * webhook that is down. False when there is no answer.
 */
export const concernsRequest = (error: unknown): error is KubeError =>
  isApiRefusal(error) || (error instanceof KubeError && error.status >= 500);

/** An activity answers for a hundred tasks at once. */
const LONGEST_MESSAGE = 1_000;

/** How one task of many ended. Other errors are thrown, and all tasks are repeated. */
export function refusedTask(error: unknown): { readonly kind: 'refused'; readonly message: string } {
  if (!concernsRequest(error)) throw error;
  return { kind: 'refused', message: error.words.slice(0, LONGEST_MESSAGE).toWellFormed() };
}

/**
 * True when a policy, a webhook, a quota, or a namespace that is being deleted forbids the write. A right that is
 * missing does not count: it belongs to the installation, and the write is retried.
 */
export const isForbiddenByPolicy = (error: unknown): error is KubeError =>
  isApiRefusal(error) && error.status !== 404 && !lacksRight(error);

/** Does work that nothing else depends on; returns the message of a policy that forbids it. */
export async function unlessForbidden(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isForbiddenByPolicy(error)) throw error;
    return error.words;
  }
}

/** Ends the activity at a refusal without a retry, so that it is reported; other errors are retried. */
export async function refusing<Answer>(
  work: () => Promise<Answer>,
  isFinal: (error: unknown) => error is KubeError = isApiRefusal,
): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isFinal(error)) throw error;
    throw ApplicationFailure.create({
      type: 'ApiServerRefused',
      nonRetryable: true,
      message: error.words,
      cause: error,
    });
  }
}
