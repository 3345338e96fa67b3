import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';

/** The header with the id under which Ironic's own log names a request. */
const REQUEST_ID = 'x-openstack-request-id';

/**
 * The requests of a traced activity to Ironic and to API servers are spans, and carry W3C's `traceparent`. Requests
 * that serve many changes, such as watches and the list of all nodes, are not traced.
 */
export const traceRequests = (): UndiciInstrumentation =>
  new UndiciInstrumentation({
    requireParentforSpans: true,
    headersToSpanAttributes: { responseHeaders: [REQUEST_ID] },
    // Queries are left out: the query of an image's URL may be a signature.
    startSpanHook: ({ origin, path }) => ({
      'url.full': `${origin}${path.split('?')[0]}`,
      'url.query': '',
    }),
  });
