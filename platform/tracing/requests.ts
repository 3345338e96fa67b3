import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';

/** By which Ironic's own log names a request. */
const REQUEST_ID = 'x-openstack-request-id';

/**
 * The requests of a traced activity to Ironic and to API servers are spans, and carry W3C's `traceparent`. Others, such
 * as watches and the list of all nodes, which serve many changes, are none.
 */
export const traceRequests = (): UndiciInstrumentation =>
  new UndiciInstrumentation({
    requireParentforSpans: true,
    headersToSpanAttributes: { responseHeaders: [REQUEST_ID] },
    // Queries are left out: that of an image's URL may be a signature.
    startSpanHook: ({ origin, path }) => ({
      'url.full': `${origin}${path.split('?')[0]}`,
      'url.query': '',
    }),
  });
