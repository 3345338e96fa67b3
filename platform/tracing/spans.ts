import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { messageOf } from '../../domain/message-of.ts';
import type { RunSpan, TraceParent } from '../../domain/trace/trace-parent.ts';
import { withoutUrlSecrets } from '../../domain/urls/hidden.ts';

interface Work {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  /** Default: the span in which the caller runs, if any. */
  readonly parent?: TraceParent;
}

export interface Spans {
  /** Runs the work within a span of its own. A failure is recorded in the span, without secrets in URLs. */
  readonly within: <T>(work: Work, run: (self: TraceParent) => Promise<T>) => Promise<T>;
  /** Records a span that has ended in a workflow. */
  ended(span: RunSpan): void;
  /** Generates ids for the SDK: for a span of a workflow the id that the workflow has chosen, else a random one. */
  readonly ids: { generateTraceId(): string; generateSpanId(): string };
}

export function createSpans(): Spans {
  const tracer = trace.getTracer('temper');
  /** The ids of the span that is being recorded for a workflow. */
  let ofWorkflow: string | undefined;
  return {
    within: ({ name, kind, attributes, parent }, run) =>
      tracer.startActiveSpan(
        name,
        { attributes, ...(kind !== undefined && { kind }) },
        parent === undefined ? context.active() : contextOf(parent),
        async (span) => {
          try {
            return await run(parentOf(span));
          } catch (error) {
            fail(span, messageOf(error));
            throw error;
          } finally {
            span.end();
          }
        },
      ),
    ended({ name, parent, spanId, start, end, failure }) {
      ofWorkflow = spanId;
      const span = tracer.startSpan(name, { startTime: new Date(start) }, contextOf(parent));
      ofWorkflow = undefined;
      if (failure !== undefined) fail(span, failure);
      span.end(new Date(end));
    },
    ids: {
      generateTraceId: () => randomBytes(16).toString('hex'),
      generateSpanId: () => ofWorkflow ?? randomBytes(8).toString('hex'),
    },
  };
}

const fail = (span: Span, message: string): void =>
  void span.setStatus({ code: SpanStatusCode.ERROR, message: withoutUrlSecrets(message) });

function parentOf(span: Span): TraceParent {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

const contextOf = ({ traceId, spanId, isSampled }: TraceParent): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });
