import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Kube } from '../../kube/client.ts';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { aborted } from '../aborted.ts';
import { runAlone } from './alone.ts';

interface Written {
  readonly metadata: { readonly resourceVersion?: string; readonly annotations: object };
  readonly spec: { readonly holderIdentity: string };
}

/** An API server that has nothing but one Lease, and may be set back to an earlier one. */
async function aLease() {
  let version = 0;
  let held: Written | undefined;
  let gate = Promise.resolve();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const answer = (): void => {
      const missing = { kind: 'Status', reason: 'NotFound', message: 'no Lease', details: { name: 'lease' } };
      response.writeHead(held === undefined ? 404 : 200).end(JSON.stringify(held ?? missing));
    };
    if (request.method === 'GET') return answer();
    void json(request).then((body) => {
      const { metadata, spec } = body as Written;
      if (metadata.resourceVersion === held?.metadata.resourceVersion) {
        version += 1;
        const own = { namespace: 'n', name: 'lease', uid: 'u', resourceVersion: `${version}` };
        held = { metadata: { ...metadata, ...own }, spec };
        answer();
      } else response.writeHead(409).end('{"reason":"Conflict"}');
    });
  };
  const servers = [createServer(handle), createServer((...call) => void gate.then(() => handle(...call)))] as const;
  const [kube, otherKube] = await Promise.all([kubeOf(servers[0]), kubeOf(servers[1])]);
  return {
    kube,
    otherKube,
    /** Requests over `otherKube` wait until the returned function is called. */
    holdBack(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    now: () => held,
    restore: (copy: Written | undefined) => void (held = copy),
    async close(): Promise<void> {
      await Promise.all([kube.close(), otherKube.close()]);
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

let lease: Awaited<ReturnType<typeof aLease>>;
let ending: AbortController;
let running: Promise<void>[];
beforeEach(async () => {
  lease = await aLease();
  ending = new AbortController();
  running = [];
});
afterEach(async () => {
  ending.abort();
  await Promise.all(running);
  await lease.close();
});

/** Starts a bridge alone. Counts the restores that it notices. */
function aBridge(identity: string, kube: Kube): () => number {
  let noticed = 0;
  const ref = { namespace: 'n', name: 'lease', identity, durationSeconds: 15, retrySeconds: 0.05 };
  const options = { ...ref, kube, log: pino({ level: 'silent' }) };
  const run = runAlone(
    options,
    (signal, restores) => {
      restores.onNoticed(() => (noticed += 1));
      return aborted(signal);
    },
    ending.signal,
  );
  running.push(run);
  return () => noticed;
}

const renewedBy = async (...bridges: readonly string[]): Promise<void> => {
  for (const bridge of bridges) {
    const before = lease.now()?.metadata.resourceVersion;
    await expect.poll(() => lease.now()?.spec.holderIdentity).toBe(bridge);
    await expect.poll(() => lease.now()?.metadata.resourceVersion).not.toBe(before);
  }
};

test('bridges alone that renew the same Lease all notice a restore of etcd, in whichever order they renew it', async () => {
  const [one, other] = [aBridge('one', lease.kube), aBridge('other', lease.otherKube)];
  await renewedBy('one', 'other');
  const copy = lease.now();
  await renewedBy('one', 'other', 'one', 'other');
  expect([one(), other()]).toEqual([0, 0]);

  const goOn = lease.holdBack();
  await renewedBy('one');
  lease.restore(copy);
  await expect.poll(one).toBe(1);
  await renewedBy('one');
  goOn();

  await expect.poll(() => [one(), other()]).toEqual([1, 1]);
  await renewedBy('one', 'other');
  expect([one(), other()]).toEqual([1, 1]);
});
