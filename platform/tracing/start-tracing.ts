import { context, type DiagLogFunction, DiagLogLevel, diag, ROOT_CONTEXT } from '@opentelemetry/api';
import { envDetector } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { messageOf } from '../../domain/message-of.ts';
import type { Log } from '../log.ts';
import { traceRequests } from './requests.ts';
import { createSpans } from './spans.ts';
import { activityInterceptors } from './traced-activities.ts';
import { clientInterceptor } from './traced-client.ts';
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
