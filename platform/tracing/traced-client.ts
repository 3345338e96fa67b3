import { SpanKind } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { TRACE_HEADER, type TraceParent, traceHeader } from '../../domain/trace/trace-parent.ts';
import type { Spans } from './spans.ts';

/** Begins a trace with each message that changes a run, or continues the sender's trace. Queries are not traced. */
export const clientInterceptor = ({ within }: Spans): WorkflowClientInterceptor => ({
  signalWithStart: (input, next) =>
    within(sending('SignalWithStartWorkflow', input.signalName, input.options.workflowId), (span) =>
      next({ ...input, headers: withTrace(input.headers, span) }),
    ),
  signal: (input, next) =>
    within(sending('SignalWorkflow', input.signalName, input.workflowExecution.workflowId), (span) =>
      next({ ...input, headers: withTrace(input.headers, span) }),
    ),
  startUpdate: (input, next) =>
    within(sending('StartWorkflowUpdate', input.updateName, input.workflowExecution.workflowId), (span) =>
      next({ ...input, headers: withTrace(input.headers, span) }),
    ),
});

const sending = (what: string, name: string, temporalWorkflowId: string): Parameters<Spans['within']>[0] => ({
  name: `${what}:${name}`,
  kind: SpanKind.PRODUCER,
  attributes: { temporalWorkflowId },
});

const withTrace = (headers: Headers, span: TraceParent): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload(traceHeader(span)),
});
