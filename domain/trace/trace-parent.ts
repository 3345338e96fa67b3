/** A span of a trace, as W3C's header `traceparent` names it. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** False: the trace is not recorded. */
  readonly isSampled: boolean;
}

/** The field of Temporal's headers that has a `traceparent`, named as in the interceptors of Temporal's SDKs. */
export const TRACE_HEADER = '_tracer-data';

const PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads what a header has; undefined when it is nothing that one of our senders would write. */
export function parseTraceHeader(header: unknown): TraceParent | undefined {
  if (typeof header !== 'object' || header === null || !('traceparent' in header)) return undefined;
  const { traceparent } = header;
  const [, traceId, spanId, flags] = (typeof traceparent === 'string' && PATTERN.exec(traceparent)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The sender's span in Temporal's headers. Anybody can send headers, so one that can't be read is ignored. */
export function traceIn<Payload>(
  { [TRACE_HEADER]: payload }: Readonly<Record<string, Payload>>,
  decode: (payload: Payload) => unknown,
): TraceParent | undefined {
  return payload === undefined ? undefined : parseTraceHeader(decode(payload));
}

export const traceHeader = ({ traceId, spanId, isSampled }: TraceParent): { readonly traceparent: string } => ({
  traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
});

/** A span that a workflow hands to its worker when it has ended. */
export interface RunSpan {
  readonly name: string;
  readonly parent: TraceParent;
  readonly spanId: string;
  /** ms since the epoch, by the time of the workflow. */
  readonly start: number;
  readonly end: number;
  /** Why it failed. */
  readonly failure?: string;
}

/** The sink of Temporal's SDK through which workers get the spans of workflows. */
export type TraceSinks = { readonly traces: { readonly ended: (span: RunSpan) => void } };
