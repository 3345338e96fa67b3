import { pino } from 'pino';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, DAY_MS, issueCertificate } from '../../platform/certificates.ts';
import { METRICS_OF } from '../../platform/metrics/definitions.ts';
import { createMetrics } from '../../platform/metrics/registry.ts';
import { admittedKinds, webhookPath } from './kinds.ts';
import { serveReviews, type WebhookServer } from './server.ts';

const metrics = createMetrics(METRICS_OF.bridge);
let server: WebhookServer;
let dispatcher: Agent;
beforeAll(async () => {
  const authority = await createAuthority('CN=a', DAY_MS);
  const order = { subject: 'CN=b', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  server = await serveReviews({
    address: { hostname: '127.0.0.1', port: 0 },
    tls: {},
    kinds: [
      ...admittedKinds({ fakeHardware: false }),
      {
        kind: 'Broken',
        judge: () => {
          throw new Error('a bug');
        },
      },
    ],
    log: pino({ level: 'silent' }),
    record: metrics.record,
  });
  server.use(await issueCertificate(authority, order));
  dispatcher = new Agent({ connect: { ca: authority.cert } });
});
afterAll(async () => {
  await dispatcher.close();
  await server.close();
});

async function send(body: string, path = webhookPath('BareMetalHost'), method = 'POST') {
  const url = `https://127.0.0.1:${server.port}${path}`;
  const response = await fetch(url, { method, dispatcher, ...(method === 'POST' && { body }) });
  return { status: response.status, text: await response.text() };
}

const metadata = { name: 'node', namespace: 'metal' };
const host = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', metadata, spec: { online: true } };
const review = (request: object) =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'u1', ...request } });

async function answer(request: object): Promise<unknown> {
  const { text } = await send(review(request));
  return JSON.parse(text) as unknown;
}
const answered = (response: object) => ({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });

describe('the webhook server', () => {
  test('lets a good object through', async () => {
    expect(await answer({ operation: 'CREATE', object: host })).toEqual(answered({ uid: 'u1', allowed: true }));
  });

  test('refuses a bad one with what is wrong', async () => {
    const object = { ...host, spec: { online: true, firmware: {} } };
    const message = 'the Firmware field is no longer supported, use HostFirmwareSettings resource instead';
    expect(await answer({ operation: 'CREATE', object })).toEqual(
      answered({ uid: 'u1', allowed: false, status: { code: 403, reason: 'Forbidden', message } }),
    );
  });

  test('lets every deletion through, unread', async () => {
    expect(await answer({ operation: 'DELETE', object: null, oldObject: 'anything' })).toEqual(
      answered({ uid: 'u1', allowed: true }),
    );
  });

  test('refuses an object that it can not read, and says where', async () => {
    const object = { ...host, spec: { online: 'yes' } };
    expect(await answer({ operation: 'CREATE', object })).toMatchObject({
      response: { allowed: false, status: { code: 400, message: expect.stringContaining('spec.online') as unknown } },
    });
    expect(await answer({ operation: 'CREATE', object: null })).toMatchObject({
      response: { allowed: false, status: { code: 400 } },
    });
  });

  test('lets an object that it can not read lose its finalizers', async () => {
    const oldObject = { ...host, metadata: { ...metadata, finalizers: ['a'] }, spec: { online: 'yes' } };
    const object = { ...oldObject, metadata };
    expect(await answer({ operation: 'UPDATE', object, oldObject })).toEqual(answered({ uid: 'u1', allowed: true }));
  });

  test.each(['', 'no JSON', '[]', '{}', '{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}', 'null'])(
    'answers a request that is no review: %j',
    async (body) => {
      const { status, text } = await send(body);
      expect([status, JSON.parse(text)]).toMatchObject([
        200,
        { kind: 'AdmissionReview', response: { uid: '', allowed: false, status: { code: 400 } } },
      ]);
    },
  );

  test('answers whoever asks for something else, or for too much, and goes on', async () => {
    expect((await send('', '/')).status).toBe(404);
    expect((await send('', webhookPath('BareMetalHost'), 'GET')).status).toBe(404);
    expect((await send(' '.repeat(17 * 1024 * 1024))).status).toBe(413);
    expect((await send(review({ operation: 'CREATE', object: {} }), webhookPath('Broken'))).status).toBe(500);
    expect(await answer({ operation: 'CREATE', object: host })).toMatchObject({ response: { allowed: true } });
  });

  test('counts and times reviews by the path of their webhook, and nothing that is no review', async () => {
    const before = await told('requests_total{webhook="/validate-metal3-io-v1alpha1-dataimage",code="200"}');
    expect(before).toBe(0);
    await send(review({ operation: 'DELETE' }), webhookPath('DataImage'));
    await send('', '/made-up');
    expect(await told('requests_total{webhook="/validate-metal3-io-v1alpha1-dataimage",code="200"}')).toBe(1);
    expect(await told('latency_seconds_count{webhook="/validate-metal3-io-v1alpha1-dataimage"}')).toBe(1);
    expect(await told('requests_in_flight{webhook="/validate-metal3-io-v1alpha1-dataimage"}')).toBe(0);
    expect(await metrics.read()).not.toContain('made-up');
  });

  test('tells of its mistakes', async () => {
    const mistakes = (await told('panics_total')) ?? 0;
    await send(review({ operation: 'CREATE', object: {} }), webhookPath('Broken'));
    expect(await told('panics_total')).toBe(mistakes + 1);
    expect(await told('requests_total{webhook="/validate-metal3-io-v1alpha1-broken",code="500"}')).toBeGreaterThan(0);
  });
});

/** The value of a metric of webhooks. */
async function told(metric: string): Promise<number | undefined> {
  const start = `controller_runtime_webhook_${metric} `;
  const line = (await metrics.read()).split('\n').find((each) => each.startsWith(start));
  return line === undefined ? undefined : Number(line.slice(start.length));
}
