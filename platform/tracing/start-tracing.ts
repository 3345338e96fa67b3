import { context, type DiagLogFunction, DiagLogLevel, diag, ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { envDetector } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { messageOf } from '../../domain/message-of.ts';
import { TRACE_HEADER, type TraceParent, traceHeader, traceIn } from '../../domain/trace/trace-parent.ts';
import type { Log } from '../log.ts';
import { createSpans, type Spans } from './spans.ts';
import type { Tracing } from './tracing.ts';

/**
 * Starts OpenTelemetry for the whole process, with the environment's settings. Only traces are sent: metrics
 * and logs do not use it. The resource leaves out command line and host name, unless a setting asks for them.
 */
export function startTracing(serviceName: string, log: Log): Tracing {
  diag.setLogger(toLog(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const spans = createSpans();
  const sdk = new NodeSDK({
    serviceName,
    resourceDetectors: [envDetector],
    idGenerator: spans.ids,
    instrumentations: [traceRequests()],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  log.info({ service: serviceName }, 'traces are sent to the OpenTelemetry collector');
  return {
    client: [clientInterceptor(spans)],
    activity: [activityInterceptors(spans)],
    sinks: { traces: { ended: { fn: (_, span) => spans.ended(span) } } },
    close: () =>
      context
        .with(ROOT_CONTEXT, () => sdk.shutdown())
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'the last spans could not be sent')),
  };
}

/** Logs a problem of the SDK, such as a collector that does not answer. The same problem is logged once. */
function toLog(log: Log): Parameters<typeof diag.setLogger>[0] {
  let last = '';
  const warn: DiagLogFunction = (message) => {
    if (message === last) return;
    last = message;
    log.warn({ error: message }, 'OpenTelemetry has a problem');
  };
  const quiet = (): void => undefined;
  return { error: warn, warn, info: quiet, debug: quiet, verbose: quiet };
}

/** The header with the id under which Ironic's own log names a request. */
const REQUEST_ID = 'x-openstack-request-id';

/**
 * The requests of a traced activity to Ironic and to API servers are spans, and carry W3C's `traceparent`. Requests
 * that serve many changes, such as watches and the list of all nodes, are not traced.
 */
const traceRequests = (): UndiciInstrumentation =>
  new UndiciInstrumentation({
    requireParentforSpans: true,
    headersToSpanAttributes: { responseHeaders: [REQUEST_ID] },
    // Queries are left out: the query of an image's URL may be a signature.
    startSpanHook: ({ origin, path }) => ({
      'url.full': `${origin}${path.split('?')[0]}`,
      'url.query': '',
    }),
  });

/** Activities with a longer limit only wait. Their repeated requests are not traced: the trace would grow for hours. */
const LONGEST_WORK_MS = 60 * 60_000;

/** Each attempt of an activity that belongs to a traced change is a span. Without a trace, an activity begins none. */
const activityInterceptors =
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

/** Begins a trace with each message that changes a run, or continues the sender's trace. Queries are not traced. */
const clientInterceptor = ({ within }: Spans): WorkflowClientInterceptor => ({
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
