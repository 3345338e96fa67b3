import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { FAILED_ATTEMPT, TAKES_FAILURES } from '../domain/ironic/failed-attempt.ts';

type Calls = Readonly<Record<string, (order: never, more: typeof TAKES_FAILURES) => Promise<unknown>>>;

/** Activities whose failed attempts are failed rows of the timeline, and answers for their caller all the same. */
export const withFailedAttempts = <Activities extends object>(activities: Activities): Activities =>
  new Proxy(activities, {
    get:
      (target, name) =>
      async (order: never): Promise<unknown> => {
        try {
          return await (target as Calls)[String(name)]?.(order, TAKES_FAILURES);
        } catch (error) {
          const cause = error instanceof ActivityFailure ? error.cause : undefined;
          if (cause instanceof ApplicationFailure && cause.type === FAILED_ATTEMPT) return cause.details?.[0];
          throw error;
        }
      },
  });
