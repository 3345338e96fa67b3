import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../../domain/trace/trace-parent.ts';

/** How a process takes part in traces. */
export interface Tracing {
  readonly client: readonly WorkflowClientInterceptor[];
  readonly activity: readonly ActivityInterceptorsFactory[];
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Sends the spans that have ended. */
  close(): Promise<void>;
}

/** Without tracing, workers ignore the spans of runs, which a bridge with tracing may have begun. */
export const NO_TRACING: Tracing = {
  client: [],
  activity: [],
  sinks: { traces: { ended: { fn: () => undefined } } },
  close: async () => undefined,
};
