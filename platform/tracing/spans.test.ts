import { SpanStatusCode } from '@opentelemetry/api';
import { NodeSDK, type NodeSDKConfiguration } from '@opentelemetry/sdk-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSpans, type Spans } from './spans.ts';

type Processor = NonNullable<NodeSDKConfiguration['spanProcessors']>[number];
type EndedSpan = Parameters<Processor['onEnd']>[0];

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', isSampled: true };
const SECRET = 'http://user:password@images.example.com/x.img?signature=secret';
const ended: EndedSpan[] = [];
let spans: Spans;
let sdk: NodeSDK;

beforeAll(() => {
  spans = createSpans();
  const keep: Processor = {
    onStart: () => undefined,
    onEnd: (span) => void ended.push(span),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  sdk = new NodeSDK({
    idGenerator: spans.ids,
    spanProcessors: [keep],
    resourceDetectors: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
});
afterAll(() => sdk.shutdown());

describe('the span of some work', () => {
  test('tells of a failure without the secrets of URLs, and without a call stack', async () => {
    const failing = spans.within({ name: 'failing', attributes: {}, parent: PARENT }, () =>
      Promise.reject(new Error(`no answer from ${SECRET}`)),
    );
    await expect(failing).rejects.toThrow(SECRET);
    const [span] = ended.filter(({ name }) => name === 'failing');
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.status.message).toMatch(/^no answer from .*images\.example\.com/);
    expect(JSON.stringify([span?.status, span?.events, span?.attributes])).not.toMatch(/password|secret|spans\.test/);
  });

  test('is the parent of that within it', async () => {
    const inner = () => spans.within({ name: 'inner', attributes: {} }, async (self) => self);
    const self = await spans.within({ name: 'outer', attributes: {}, parent: PARENT }, inner);
    const [outer] = ended.filter(({ name }) => name === 'outer');
    const [found] = ended.filter(({ name }) => name === 'inner');
    expect(found?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(self).toEqual({ traceId: PARENT.traceId, spanId: found?.spanContext().spanId, isSampled: true });
  });

  test('is not recorded when its trace is not, and says so to what it calls', async () => {
    const parent = { ...PARENT, isSampled: false };
    const self = await spans.within({ name: 'unrecorded', attributes: {}, parent }, async (span) => span);
    expect(self).toMatchObject({ traceId: PARENT.traceId, isSampled: false });
    expect(ended.map(({ name }) => name)).not.toContain('unrecorded');
  });
});

test('the span of a workflow has the id and the times that the workflow gave it', () => {
  const failure = `no answer from ${SECRET}`;
  spans.ended({
    name: 'RunWorkflow:x',
    parent: PARENT,
    spanId: 'aaaaaaaaaaaaaaaa',
    start: 1_000,
    end: 61_500,
    failure,
  });
  const [span] = ended.filter(({ name }) => name === 'RunWorkflow:x');
  expect(span?.spanContext()).toMatchObject({ traceId: PARENT.traceId, spanId: 'aaaaaaaaaaaaaaaa' });
  expect(span?.parentSpanContext?.spanId).toBe(PARENT.spanId);
  expect([span?.startTime, span?.endTime]).toEqual([
    [1, 0],
    [61, 500_000_000],
  ]);
  expect(span?.status.message).not.toContain('secret');
});
