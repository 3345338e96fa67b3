import { pino } from 'pino';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { METRICS_OF } from '../../../platform/metrics/definitions.ts';
import { createMetrics } from '../../../platform/metrics/registry.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../../platform/tls/certificates.ts';
import { admittedKinds, defaultedKinds } from '../kinds.ts';
import { createReviews } from './reviews.ts';
import { serveReviews, type WebhookServer } from './server.ts';

const HOSTS = '/validate-metal3-io-v1alpha1-baremetalhost';
const BROKEN = '/validate-metal3-io-v1alpha1-broken';

const metrics = createMetrics(METRICS_OF.bridge);
let server: WebhookServer;
let dispatcher: Agent;
beforeAll(async () => {
  const authority = await createAuthority('CN=a', DAY_MS);
  const order = { subject: 'CN=b', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  const broken = {
    kind: 'Broken',
    webhook: 'broken',
    path: BROKEN,
    judge: () => {
      throw new Error('a bug');
    },
  };
  const reviews = createReviews([...admittedKinds({ fakeHardware: false }), broken], defaultedKinds);
  server = await serveReviews({
    address: { hostname: '127.0.0.1', port: 0 },
    tls: {},
    paths: reviews.paths,
    answer: (path, { bytes }) => reviews.answer(path, bytes),
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

async function send(body: string, path = HOSTS, method = 'POST') {
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

  test('ignores the query, in which the API server says how long it waits', async () => {
    const { status, text } = await send(review({ operation: 'CREATE', object: host }), `${HOSTS}?timeout=10s`);
    expect([status, JSON.parse(text)]).toEqual([200, answered({ uid: 'u1', allowed: true })]);
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
    expect((await send('', HOSTS, 'GET')).status).toBe(404);
    expect((await send(' '.repeat(17 * 1024 * 1024))).status).toBe(413);
    expect((await send(review({ operation: 'CREATE', object: {} }), BROKEN)).status).toBe(500);
    expect(await answer({ operation: 'CREATE', object: host })).toMatchObject({ response: { allowed: true } });
  });

  test('counts and times reviews by the path of their webhook, and nothing that is no review', async () => {
    const before = await told('requests_total{webhook="/validate-metal3-io-v1alpha1-dataimage",code="200"}');
    expect(before).toBe(0);
    await send(review({ operation: 'DELETE' }), '/validate-metal3-io-v1alpha1-dataimage');
    await send('', '/made-up');
    expect(await told('requests_total{webhook="/validate-metal3-io-v1alpha1-dataimage",code="200"}')).toBe(1);
    expect(await told('latency_seconds_count{webhook="/validate-metal3-io-v1alpha1-dataimage"}')).toBe(1);
    expect(await told('requests_in_flight{webhook="/validate-metal3-io-v1alpha1-dataimage"}')).toBe(0);
    expect(await metrics.read()).not.toContain('made-up');
  });

  test('counts what is converted and completed, too', async () => {
    for (const path of ['/convert', '/mutate-infrastructure-cluster-x-k8s-io-v1beta2-metal3cluster']) {
      const metric = `requests_total{webhook="${path}",code="200"}`;
      const before = (await told(metric)) ?? Number.NaN;
      await send('', path);
      expect(await told(metric)).toBe(before + 1);
    }
  });

  test('tells of its mistakes', async () => {
    const mistakes = (await told('panics_total')) ?? 0;
    await send(review({ operation: 'CREATE', object: {} }), BROKEN);
    expect(await told('panics_total')).toBe(mistakes + 1);
    expect(await told('requests_total{webhook="/validate-metal3-io-v1alpha1-broken",code="500"}')).toBeGreaterThan(0);
  });
});

/** The value of a webhook metric. */
async function told(metric: string): Promise<number | undefined> {
  const start = `controller_runtime_webhook_${metric} `;
  const line = (await metrics.read()).split('\n').find((each) => each.startsWith(start));
  return line === undefined ? undefined : Number(line.slice(start.length));
}

describe('defaults', () => {
  const path = '/mutate-infrastructure-cluster-x-k8s-io-v1beta2-metal3cluster';
  const defaulted = async (request: object): Promise<unknown> => {
    const { response } = JSON.parse((await send(review(request), path)).text) as { response: { patch?: string } };
    const { patch, ...rest } = response;
    return patch === undefined
      ? rest
      : { ...rest, patch: JSON.parse(Buffer.from(patch, 'base64').toString()) as unknown };
  };

  test('are sent as a patch of the spec, next to what is there', async () => {
    const object = { metadata, spec: { controlPlaneEndpoint: { host: 'h' }, unknown: 1 } };
    const value = { ...object.spec, controlPlaneEndpoint: { host: 'h', port: 6443 }, cloudProviderEnabled: false };
    expect(await defaulted({ operation: 'CREATE', object })).toEqual({
      uid: 'u1',
      allowed: true,
      patchType: 'JSONPatch',
      patch: [{ op: 'add', path: '/spec', value }],
    });
  });

  test.each([
    { operation: 'CREATE', object: { spec: { controlPlaneEndpoint: { port: 1 }, cloudProviderEnabled: true } } },
    { operation: 'DELETE', object: null },
  ])('are none for %j', async (request) => {
    expect(await defaulted(request)).toEqual({ uid: 'u1', allowed: true });
  });
});

describe('conversion', () => {
  const GROUP = 'infrastructure.cluster.x-k8s.io';
  const convert = async (request: object, apiVersion = 'apiextensions.k8s.io/v1'): Promise<unknown> =>
    JSON.parse((await send(JSON.stringify({ apiVersion, kind: 'ConversionReview', request }), '/convert')).text);
  const claim = (version: string, spec: object) => ({
    apiVersion: `${GROUP}/${version}`,
    kind: 'Metal3DataClaim',
    metadata,
    spec,
  });

  test.each(['apiextensions.k8s.io/v1', 'apiextensions.k8s.io/v1beta1'])(
    'answers a review of %s in kind',
    async (version) => {
      const objects = [claim('v1beta1', { template: { name: 't', kind: 'k' } }), claim('v1beta2', {})];
      expect(await convert({ uid: 'u2', desiredAPIVersion: `${GROUP}/v1beta2`, objects }, version)).toEqual({
        apiVersion: version,
        kind: 'ConversionReview',
        response: {
          uid: 'u2',
          result: { status: 'Success' },
          convertedObjects: [{ ...claim('v1beta2', { template: { name: 't' } }), status: {} }, claim('v1beta2', {})],
        },
      });
    },
  );

  test('of all fails with that of one, in words', async () => {
    const objects = [claim('v1beta1', { template: {} }), { ...claim('v1beta1', {}), kind: 'Other' }];
    const message = `no conversion from ${GROUP}/v1beta1 to ${GROUP}/v1beta2 for the kind Other`;
    expect(await convert({ uid: 'u3', desiredAPIVersion: `${GROUP}/v1beta2`, objects })).toMatchObject({
      response: { uid: 'u3', result: { status: 'Failure', message }, convertedObjects: [] },
    });
  });

  test.each(['', 'null', '{"kind":"ConversionReview"}'])('answers a request that is no review: %j', async (body) => {
    const { status, text } = await send(body, '/convert');
    expect([status, JSON.parse(text)]).toMatchObject([200, { response: { result: { status: 'Failure' } } }]);
  });
});
