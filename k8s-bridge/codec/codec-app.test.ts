import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { BeyondBound } from '../../domain/bounds/beyond-bound.ts';
import type { Gates } from '../../kube/gate.ts';
import { cpuTimeOf } from '../../test/builders/cpu-time.ts';
import { codecApp, readPayloads } from './codec-app.ts';

const gates: Gates = {
  isKnown: async (token) => (token === 'known' ? { kind: 'allowed' } : { kind: 'unknown' }),
  mayUse: async () => ({ kind: 'unknown' }),
  mayGet: async () => ({ kind: 'allowed' }),
};
const app = codecApp({
  codec: { encode: async (payloads) => payloads, decode: async (payloads) => payloads },
  gates,
  origins: [],
  log: pino({ level: 'silent' }),
});

/** Sends a body without an end, of which so many bytes are read before the answer. */
async function post(path: string, headers: Readonly<Record<string, string>>) {
  let sent = 0;
  const chunk = new TextEncoder().encode(' '.repeat(65_536));
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body, duplex: 'half' });
  const response = await app.request(request);
  return { status: response.status, text: await response.text(), sent };
}

const bodyOf = (payloads: unknown): string => JSON.stringify({ payloads });
/** Why a body is refused. */
function refusal(body: string): string {
  const read = readPayloads(body);
  if (read instanceof BeyondBound) return read.message;
  return typeof read === 'string' ? read : 'not at all';
}

describe('the codec server', () => {
  test.each(['/decode', '/encode'])('reads nothing of %s before it knows the token', async (path) => {
    expect(await post(path, {})).toMatchObject({ status: 401, sent: 0 });
    expect(await post(path, { authorization: 'Bearer guessed' })).toMatchObject({ status: 401, sent: 0 });
    expect(await post(path, { authorization: 'Bearer a', 'authorization-extras': 'b' })).toMatchObject({
      status: 401,
      sent: 0,
    });
  });

  test('stops to read at its bound, and names it', async () => {
    const { status, text, sent } = await post('/decode', { authorization: 'Bearer known' });
    expect({ status, text }).toEqual({
      status: 413,
      text: 'beyond the bound of the payloads: more than 4194304 characters\n',
    });
    expect(sent).toBeLessThan(4_194_304 + 3 * 65_536);
  });

  test.each([
    ['too many values', bodyOf(Array.from({ length: 30_000 }, () => ({}))), 'more than 50000 values'],
    ['too deep', '['.repeat(2_000_000), 'more than 8 levels'],
    [
      'too much metadata',
      bodyOf([{ metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, ''])) }]),
      '16',
    ],
  ])('refuses payloads that are %s', (_, body, limit) => {
    expect(refusal(body)).toContain(limit);
  });

  test('takes a few milliseconds of its thread for the worst payloads that it accepts', () => {
    const metadata = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`key-${at}`, 'QQ==']));
    const many = bodyOf(Array.from({ length: 1_400 }, () => ({ metadata, data: 'QUJD'.repeat(100) })));
    const large = bodyOf([{ data: 'QUJD'.repeat(1_000_000) }]);
    expect(typeof readPayloads(many)).toBe('object');
    expect(typeof readPayloads(large)).toBe('object');
    for (const body of [many, large]) expect(cpuTimeOf(() => readPayloads(body))).toBeLessThan(400);
  });
});
