import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { FAILED_ATTEMPT, failureIn, takesFailures } from '../../domain/ironic/failed-attempt.ts';

/**
 * Ends an activity whose answer is a failure as a failed one: the Web UI shows it in red. The workflow gets the answer
 * from the details of the error, if it says that it does. It is benign: neither logged nor counted as a failure of the
 * workers.
 */
export const failedAttempts: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    const answer = await next(input);
    const [order, more] = input.args;
    if (!takesFailures(more)) return answer;
    const message = failureIn(Context.current().info.activityType, order, answer);
    if (message === undefined) return answer;
    throw ApplicationFailure.create({
      type: FAILED_ATTEMPT,
      nonRetryable: true,
      category: ApplicationFailureCategory.BENIGN,
      message,
      details: [answer],
    });
  },
};
