import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { traceIn } from '../../domain/trace/trace-parent.ts';
import type { Spans } from './spans.ts';

/** Activities with a longer limit only wait. Their repeated requests are not traced: the trace would grow for hours. */
const LONGEST_WORK_MS = 60 * 60_000;

/** Each attempt of an activity that belongs to a traced change is a span. Without a trace, an activity begins none. */
export const activityInterceptors =
  ({ within }: Spans): ActivityInterceptorsFactory =>
  ({ info: { activityType, attempt, startToCloseTimeoutMs, workflowExecution } }) => ({
    inbound: {
      execute(input, next) {
        const parent = traceIn(input.headers, (payload) => defaultPayloadConverter.fromPayload(payload));
        if (parent === undefined) return next(input);
        const { workflowId = '', runId = '' } = workflowExecution ?? {};
        const attributes = { temporalWorkflowId: workflowId, temporalRunId: runId, attempt };
        return within({ name: `RunActivity:${activityType}`, attributes, parent }, () =>
          startToCloseTimeoutMs > LONGEST_WORK_MS ? context.with(ROOT_CONTEXT, () => next(input)) : next(input),
        );
      },
    },
  });
