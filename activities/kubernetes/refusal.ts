import { ApplicationFailure } from '@temporalio/common';
import { KubeError } from '../../kube/client.ts';

/** The API server's answer to a request that would get the same answer again right away. */
export const isApiRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.status >= 400 && error.status < 500 && ![408, 409, 429].includes(error.status);

/** Lets a refusal end an activity at once, so that it is told of; anything else is tried again. */
export async function refusing<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    if (!isApiRefusal(error)) throw error;
    throw ApplicationFailure.create({
      type: 'ApiServerRefused',
      nonRetryable: true,
      message: error.message,
      cause: error,
    });
  }
}
