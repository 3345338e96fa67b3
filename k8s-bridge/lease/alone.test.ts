import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { aborted } from '../aborted.ts';
import { runAlone } from './alone.ts';

interface Renewal {
  readonly metadata: { readonly resourceVersion?: string };
  readonly spec: { readonly holderIdentity: string };
}

/** An API server that has nothing but one Lease. */
async function aLease() {
  let version = 0;
  let held: { readonly holder: string; readonly body: object } | undefined;
  const write = (holder: string): void => {
    version += 1;
    const metadata = { namespace: 'n', name: 'lease', uid: 'u', resourceVersion: `${version}` };
    held = { holder, body: { metadata, spec: { holderIdentity: holder } } };
  };
  const server = createServer((request, response) => {
    const answer = (): void => {
      const missing = { kind: 'Status', reason: 'NotFound', message: 'no Lease', details: { name: 'lease' } };
      response.writeHead(held === undefined ? 404 : 200).end(JSON.stringify(held?.body ?? missing));
    };
    if (request.method === 'GET') return answer();
    void json(request).then((body) => {
      const { metadata, spec } = body as Renewal;
      if (metadata.resourceVersion === `${version}`) {
        write(spec.holderIdentity);
        answer();
      } else response.writeHead(409).end('{"reason":"Conflict"}');
    });
  });
  const kube = await kubeOf(server);
  return {
    kube,
    write,
    holder: () => held?.holder,
    async close(): Promise<void> {
      await kube.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a bridge alone says once that another bridge renews its Lease, too', async () => {
  const lease = await aLease();
  // The bridge that ran before.
  lease.write('former');
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void (line.includes('too') && lines.push(line)) });
  const ending = new AbortController();
  const ref = { namespace: 'n', name: 'lease', identity: 'this', durationSeconds: 15, retrySeconds: 0.2 };
  const running = runAlone({ ...ref, kube: lease.kube, log }, aborted, ending.signal);
  try {
    await expect.poll(lease.holder).toBe('this');
    expect(lines).toEqual([]);
    for (const other of ['another', 'a third']) {
      lease.write(other);
      await expect.poll(lease.holder).toBe('this');
    }
    expect(lines).toEqual([expect.stringContaining('"holder":"another"')]);
  } finally {
    ending.abort();
    await running;
    await lease.close();
  }
});
