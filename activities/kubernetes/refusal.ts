import { ApplicationFailure } from '@temporalio/common';
import { KubeError } from '../../kube/client.ts';

/** True for an answer of the API server that a retry would not change. */
export const isApiRefusal = (error: unknown): error is KubeError =>
  error instanceof KubeError && error.status >= 400 && error.status < 500 && ![408, 409, 429].includes(error.status);

/** Ends the activity at a refusal without a retry, so that it is reported; other errors are retried. */
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
