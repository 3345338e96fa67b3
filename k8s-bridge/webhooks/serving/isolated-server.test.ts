import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { Agent, fetch } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuthority, DAY_MS, issueCertificate } from '../../../platform/tls/certificates.ts';
import { reachableFrom } from '../../../test/builders/reachable.ts';
import { type IsolatedServer, serveIsolated } from './isolated-server.ts';

const kinds = { fakeHardware: false };
const HOSTS = '/validate-metal3-io-v1alpha1-baremetalhost';
const log = pino({ level: 'silent' });
let server: IsolatedServer;
afterEach(() => server.close());

async function open(program?: URL) {
  const authority = await createAuthority('CN=a', DAY_MS);
  const order = { subject: 'CN=b', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  const measured: { readonly name: string; readonly labels: object }[] = [];
  server = await serveIsolated({
    address: { hostname: '127.0.0.1', port: 0 },
    tls: {},
    kinds,
    log,
    record: (measurement) => void measured.push(measurement),
    ...(program && { program }),
  });
  const pair = await issueCertificate(authority, order);
  server.use(pair);
  return { ca: authority.cert, pair, measured };
}

const review = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'DELETE' },
});

/** In a thread of its own: asks ten times, and writes to the shared memory what it got. */
const CLIENT = `
  import { request } from 'node:https';
  import { workerData } from 'node:worker_threads';
  const { done, ca, port, path, body } = workerData;
  const ask = () => new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, ca, path, method: 'POST' }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject).end(body);
  });
  let status = 0;
  for (let asked = 0; asked < 10; asked += 1) status = await ask();
  Atomics.store(done, 0, status);
  Atomics.notify(done, 0);
`;

describe('webhooks in a thread', () => {
  test('answer while the controller does nothing else than block its event loop', async () => {
    const { ca } = await open();
    const done = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { done, ca, port: server.port, path: HOSTS, body: review };
    const client = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CLIENT)}`), { workerData });
    Atomics.wait(done, 0, 0, 60_000);
    expect(done[0]).toBe(200);
    await client.terminate();
  });

  test('are measured by the controller', async () => {
    const { ca, measured } = await open();
    const dispatcher = new Agent({ connect: { ca } });
    await fetch(`https://127.0.0.1:${server.port}${HOSTS}`, { method: 'POST', body: review, dispatcher });
    const counted = {
      name: 'controller_runtime_webhook_requests_total',
      labels: { webhook: HOSTS, code: '200' },
    };
    await expect.poll(() => measured).toContainEqual(counted);
    await dispatcher.close();
  });

  /** Ends at the second certificate that it gets; the next one `listens` on the port of the first, or not yet. */
  const endingAtSecondCertificate = (listens: boolean): URL => {
    const program = `
      import { parentPort, workerData } from 'node:worker_threads';
      const { port } = workerData.address;
      let certificates = 0;
      parentPort.on('message', ({ kind }) => {
        if (kind === 'close') process.exit(0);
        certificates += 1;
        if (certificates === 2) process.exit(1);
        parentPort.postMessage({ kind: 'measured', measurements: [{ name: 'certificate', labels: { port } }] });
      });
      if (port === 0 || ${listens}) parentPort.postMessage({ kind: 'listening', port: 4711 });
    `;
    return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  };

  test('are served again, on their port and with their certificate, when the thread ends', async () => {
    const { pair, measured } = await open(endingAtSecondCertificate(true));
    server.use(pair);
    await expect.poll(() => measured).toMatchObject([{ labels: { port: 0 } }, { labels: { port: 4711 } }]);
    expect(server.isServing).toBe(true);
  });

  test('are not served until then', async () => {
    const { pair } = await open(endingAtSecondCertificate(false));
    expect(server.isServing).toBe(true);
    server.use(pair);
    await expect.poll(() => server.isServing).toBe(false);
  });

  test('load what reads and judges objects in the threads that answer, and nowhere else', () => {
    const RULES = 'k8s-bridge/webhooks/kinds.ts';
    const { files, packages } = reachableFrom('k8s-bridge/webhooks/serving/server-thread.ts');
    expect({ files: files.filter((file) => file === RULES), packages }).toEqual({ files: [], packages: [] });
    expect(reachableFrom('k8s-bridge/main.ts').files).not.toContain(RULES);
    expect(reachableFrom('k8s-bridge/webhooks/serving/answer-thread.ts').files).toContain(RULES);
  });
});
