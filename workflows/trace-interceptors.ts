import { type Headers, proxySinks, uuid4, type WorkflowInterceptors, workflowInfo } from '@temporalio/workflow';
import { messageOf } from '../domain/message-of.ts';
import { TRACE_HEADER, type TraceParent, type TraceSinks, traceHeader, traceIn } from '../domain/trace/trace-parent.ts';
import { requestFailing } from './messages.ts';
import { payloadConverter } from './payload-converter.ts';

/**
 * Passes the trace of the last change on to the activities and operations that follow from it, and to the next run.
 * Without a trace in a header, it does nothing.
 */
export const interceptors = (): WorkflowInterceptors => {
  /** The span of the last change. */
  let cause: TraceParent | undefined;

  const traced = <Input extends { readonly headers: Headers }>(input: Input): Input =>
    cause === undefined
      ? input
      : { ...input, headers: { ...input.headers, [TRACE_HEADER]: payloadConverter.toPayload(traceHeader(cause)) } };

  const taken = (name: string, headers: Headers): void => {
    const sender = parentIn(headers);
    if (sender !== undefined) cause = begin(name, sender).end();
  };

  return {
    inbound: [
      {
        execute(input, next) {
          // The signal that started the run may have been handled before.
          cause ??= parentIn(input.headers);
          const { parent, workflowType } = workflowInfo();
          // Only the run of an operation is a span: the run of an object lasts for years.
          if (cause === undefined || parent === undefined) return next(input);
          const span = begin(`RunWorkflow:${workflowType}`, cause);
          cause = span.itself;
          const result = next(input);
          result.then(
            () => span.end(),
            (error: unknown) => span.end(messageOf(error)),
          );
          return result;
        },
        handleSignal(input, next) {
          // This signal is about the run's own activity: it does not change what the run does.
          if (input.signalName !== requestFailing.name) taken(`HandleSignal:${input.signalName}`, input.headers);
          return next(input);
        },
        handleUpdate(input, next) {
          taken(`HandleUpdate:${input.name}`, input.headers);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(traced(input)),
        startChildWorkflowExecution: (input, next) => next(traced(input)),
        continueAsNew: (input, next) => next(traced(input)),
      },
    ],
  };
};

const parentIn = (headers: Headers): TraceParent | undefined =>
  traceIn(headers, (payload) => payloadConverter.fromPayload(payload));

interface Begun {
  readonly itself: TraceParent;
  readonly end: (failure?: string) => TraceParent;
}

function begin(name: string, parent: TraceParent): Begun {
  const start = Date.now();
  const itself: TraceParent = { ...parent, spanId: uuid4().replaceAll('-', '').slice(0, 16) };
  return {
    itself,
    end(failure) {
      const span = { name, parent, spanId: itself.spanId, start, end: Date.now() };
      const { traces } = proxySinks<TraceSinks>();
      if (itself.isSampled) traces.ended({ ...span, ...(failure !== undefined && { failure }) });
      return itself;
    },
  };
}
