import { Agent, request } from 'node:https';
import { workerData } from 'node:worker_threads';

/** What a flood sends, and to whom. */
export interface Flood {
  readonly ports: readonly number[];
  readonly ca: string;
  readonly path: string;
  readonly connections: number;
  /** Incremented for each body that was begun. */
  readonly begun: Int32Array;
}

const MIB = 1024 * 1024;

/**
 * In a thread of its own: sends bodies of 60 and 256 MB without a pause, on many connections, until the thread is
 * ended.
 */
const { ports, ca, path, connections, begun } = workerData as Flood;

/** The same chunk many times, between a beginning and an end. */
interface Sent {
  readonly begin: string;
  readonly chunk: Buffer;
  readonly times: number;
  readonly end: string;
}

const nonsense = (bytes: number): Sent => ({
  begin: '',
  chunk: Buffer.alloc(64 * 1024, '['),
  times: Math.floor(bytes / (64 * 1024)),
  end: '',
});

/** A list of as many objects as fit, as it is sent to the conversion webhook. */
function conversion(bytes: number): Sent {
  const group = 'infrastructure.cluster.x-k8s.io';
  const annotations = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`note-${index}`, 'x'.repeat(80)]));
  const metadata = { name: 'one', annotations };
  const object = {
    apiVersion: `${group}/v1beta1`,
    kind: 'Metal3DataClaim',
    metadata,
    spec: { template: { name: 't' } },
  };
  const chunk = Buffer.from(`${JSON.stringify(object)},`);
  const request = { uid: 'u1', desiredAPIVersion: `${group}/v1beta2`, objects: [] };
  const review = JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request });
  const end = ']}}';
  const begin = review.slice(0, -end.length);
  return { begin, chunk, times: Math.floor(bytes / chunk.length), end: `${JSON.stringify(object)}${end}` };
}

/** Four times the limit, and just below it: nonsense, and work. */
const KINDS = [nonsense(256 * MIB), nonsense(60 * MIB), conversion(60 * MIB)];

/** One body; half of them do not declare their length. */
function sendOne(agent: Agent, port: number, body: Sent, isDeclared: boolean): Promise<void> {
  return new Promise((resolve) => {
    const bytes = body.begin.length + body.chunk.length * body.times + body.end.length;
    const headers = isDeclared ? { 'content-length': bytes } : { 'transfer-encoding': 'chunked' };
    const asked = request({ host: '127.0.0.1', port, agent, path, method: 'POST', headers });
    asked.once('close', resolve).once('error', () => undefined);
    asked.once('response', (response) => response.resume());
    let sent = 0;
    const write = (): void => {
      while (sent < body.times && !asked.destroyed) {
        sent += 1;
        if (!asked.write(body.chunk)) return void asked.once('drain', write);
      }
      asked.end(body.end);
    };
    Atomics.add(begun, 0, 1);
    if (body.begin !== '') asked.write(body.begin);
    write();
  });
}

async function sendForever(index: number): Promise<never> {
  const agent = new Agent({ ca });
  const port = ports[index % ports.length] ?? 0;
  for (;;) for (const body of KINDS) await sendOne(agent, port, body, index % 4 < 2);
}

for (let index = 0; index < connections; index += 1) void sendForever(index);
