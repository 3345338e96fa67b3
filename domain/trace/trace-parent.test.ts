import { describe, expect, test } from 'vitest';
import { parseTraceHeader, traceHeader } from './trace-parent.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('the trace in a header', () => {
  test.each([true, false])('is read as it was written (recorded: %s)', (isSampled) => {
    const parent = { traceId: TRACE, spanId: SPAN, isSampled };
    expect(parseTraceHeader(traceHeader(parent))).toEqual(parent);
  });

  test('has the format of W3C', () => {
    expect(traceHeader({ traceId: TRACE, spanId: SPAN, isSampled: true })).toEqual({
      traceparent: `00-${TRACE}-${SPAN}-01`,
    });
  });

  test.each([
    undefined,
    null,
    'text',
    {},
    { unreadable: 'no JSON' },
    { traceparent: 7 },
    { traceparent: '' },
    { traceparent: `00-${TRACE}-${SPAN}` },
    { traceparent: `01-${TRACE}-${SPAN}-01` },
    { traceparent: `00-${TRACE.toUpperCase()}-${SPAN}-01` },
    { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` },
    { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` },
    { traceparent: `00-${TRACE}-${SPAN}-01 and more` },
  ])('is ignored when it is %j', (header) => {
    expect(parseTraceHeader(header)).toBeUndefined();
  });
});
