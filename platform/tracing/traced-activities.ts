import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { parseTraceHeader, TRACE_HEADER, type TraceParent } from '../../domain/trace/trace-parent.ts';
import type { Spans } from './spans.ts';

/** An attempt that may take longer only waits: it repeats requests, which would be spans without end. */
const LONGEST_WORK_MS = 60 * 60_000;

/** Each attempt of an activity of a traced change is a span; activities without a trace begin none. */
export const activityInterceptors =
  ({ within }: Spans): ActivityInterceptorsFactory =>
  ({ info: { activityType, attempt, startToCloseTimeoutMs, workflowExecution } }) => ({
    inbound: {
      execute(input, next) {
        const parent = parentIn(input.headers);
        if (parent === undefined) return next(input);
        const { workflowId = '', runId = '' } = workflowExecution ?? {};
        const attributes = { temporalWorkflowId: workflowId, temporalRunId: runId, attempt };
        return within({ name: `RunActivity:${activityType}`, attributes, parent }, () =>
          startToCloseTimeoutMs > LONGEST_WORK_MS ? context.with(ROOT_CONTEXT, () => next(input)) : next(input),
        );
      },
    },
  });

function parentIn({ [TRACE_HEADER]: payload }: Headers): TraceParent | undefined {
  return payload === undefined ? undefined : parseTraceHeader(defaultPayloadConverter.fromPayload(payload));
}
