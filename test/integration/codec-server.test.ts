import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common';
import type { Hono } from 'hono';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { codecApp } from '../../k8s-bridge/codec/codec-app.ts';
import { connectKube, type Kube } from '../../kube/client.ts';
import { createGates } from '../../kube/gate.ts';
import { createCodec } from '../../platform/temporal/encryption/codec.ts';
import { readKeyText } from '../../platform/temporal/encryption/keys.ts';
import { accountsOf } from './accounts.ts';

const WEB_UI = 'https://temporal.example.com';
const TENANT = 'codec-tenant';
const keys = readKeyText(`first:${randomBytes(32).toString('base64')}`);
const codec: PayloadCodec = createCodec(() => keys);

let kube: Kube;
let app: Hono;
/** Tokens of who may get the hosts of their namespace, and of who may get all. */
let tenant: string;
let admin: string;

beforeAll(async () => {
  kube = connectKube(inject('kubeconfig'));
  const gates = createGates(kube);
  app = codecApp({ codec, gates, origins: [WEB_UI], log: pino({ level: 'silent' }) });
  const accounts = accountsOf(kube, inject('kubeconfig'));
  await accounts.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: TENANT } });
  tenant = await accounts.tokenOf(TENANT, 'tenant');
  admin = await accounts.tokenOf(TENANT, 'admin');
  const hosts = { apiGroups: ['metal3.io'], resources: ['baremetalhosts'], verbs: ['get'] };
  await accounts.bind(TENANT, 'admin', 'codec-all-hosts', hosts);
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${TENANT}/rolebindings`;
  await accounts.create(rbac, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'codec-all-hosts' },
    subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace: TENANT }],
  });
});
afterAll(() => kube.close());

interface Json {
  readonly metadata: Record<string, string>;
  readonly data?: string;
}
const toJson = (payload: { metadata?: Record<string, Uint8Array> | null; data?: Uint8Array | null }): Json => ({
  metadata: Object.fromEntries(
    Object.entries(payload.metadata ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  ),
  data: Buffer.from(payload.data ?? []).toString('base64'),
});
const plain = (value: unknown): Json => toJson(defaultPayloadConverter.toPayload(value) ?? {});
/** As a worker encrypts it for a workflow; without one, as nobody knows for which. */
async function secret(value: unknown, workflowId?: string): Promise<Json> {
  const context =
    workflowId === undefined ? undefined : ({ type: 'workflow', namespace: 'metal', workflowId } as const);
  const [payload = {}] = await codec.encode([defaultPayloadConverter.toPayload(value)], context);
  return toJson(payload);
}
async function post(path: string, token: string | undefined, body: unknown, headers: Record<string, string> = {}) {
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const { payloads } = (response.ok ? JSON.parse(text) : {}) as { readonly payloads?: readonly Json[] };
  const values = payloads?.map(({ data = '' }) => Buffer.from(data, 'base64').toString());
  return { status: response.status, text, payloads, values, headers: response.headers };
}
const decode = (token: string | undefined, ...payloads: readonly Json[]) => post('/decode', token, { payloads });

const OWN = `baremetalhost/${TENANT}/node-1`;
const FOREIGN = 'baremetalhost/somebody-else/node-1';

describe('the codec server', () => {
  test('decrypts payloads of an object for those who may get it, also of its operations', async () => {
    const { values } = await decode(tenant, await secret('a', OWN), await secret('b', `${OWN}/provision/3`));
    expect(values).toEqual(['"a"', '"b"']);
  });

  test('refuses payloads of objects in a namespace in which somebody may get nothing', async () => {
    expect(await decode(tenant, await secret('a', OWN), await secret('b', FOREIGN))).toMatchObject({
      status: 403,
      text: `Forbidden: system:serviceaccount:${TENANT}:tenant may not get baremetalhosts.metal3.io 'node-1' in namespace 'somebody-else'\n`,
    });
    expect((await decode(admin, await secret('b', FOREIGN))).values).toEqual(['"b"']);
  });

  test('decrypts nothing whose workflow somebody has changed into one of their own', async () => {
    const { metadata, data } = await secret('stolen', FOREIGN);
    const forged = { metadata: { ...metadata, 'workflow-id': Buffer.from(OWN).toString('base64') }, data: data ?? '' };
    const { status, payloads } = await decode(tenant, forged);
    expect({ status, payloads }).toEqual({ status: 200, payloads: [forged] });
  });

  test.each([
    ['of a workflow of no object', 'ironic-capacity/default'],
    ['of a kind that does not exist', `secret/${TENANT}/tenant`],
    ['that somebody encoded by hand', undefined],
  ])('decrypts payloads %s for those alone who may get all hosts', async (_, workflowId) => {
    expect((await decode(tenant, await secret('a', workflowId))).status).toBe(403);
    expect((await decode(admin, await secret('a', workflowId))).values).toEqual(['"a"']);
  });

  test('passes on what is not encrypted', async () => {
    expect((await decode(tenant, plain({ reason: 'by hand' }))).payloads).toEqual([plain({ reason: 'by hand' })]);
  });

  test.each([
    ['no token', undefined],
    ['an unknown token', 'guessed'],
  ])('refuses %s', async (_, token) => {
    expect((await decode(token, await secret('a', OWN))).status).toBe(401);
  });

  test('takes the ID token of the Web UI where the API server does not know the access token', async () => {
    const send = async (accessToken: string | undefined, idToken: string) =>
      post('/decode', accessToken, { payloads: [await secret('a', OWN)] }, { 'authorization-extras': idToken });
    expect((await send('opaque', tenant)).values).toEqual(['"a"']);
    expect((await send(undefined, tenant)).values).toEqual(['"a"']);
    expect((await send(tenant, 'guessed')).values).toEqual(['"a"']);
    expect((await send('opaque', 'guessed')).status).toBe(401);
  });

  test('does not look for somebody who may, among the two tokens of a login', async () => {
    const body = { payloads: [await secret('b', FOREIGN)] };
    expect((await post('/decode', tenant, body, { 'authorization-extras': admin })).status).toBe(403);
  });

  test('encrypts for everybody whom the API server knows', async () => {
    const encoded = await post('/encode', tenant, { payloads: [plain('c')] });
    expect(encoded.text).not.toContain(plain('c').data);
    expect((await decode(admin, ...(encoded.payloads ?? []))).values).toEqual(['"c"']);
    expect((await post('/encode', 'guessed', { payloads: [plain('c')] })).status).toBe(401);
  });

  test('lets browsers send payloads from the Web UI, and from nowhere else', async () => {
    const asked = (origin: string) =>
      app.request('/decode', {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,authorization-extras,content-type,x-namespace',
        },
      });
    const allowed = async (origin: string) => (await asked(origin)).headers.get('access-control-allow-origin');
    expect([await allowed(WEB_UI), await allowed('https://elsewhere.example')]).toEqual([WEB_UI, null]);
    const headers = (await asked(WEB_UI)).headers.get('access-control-allow-headers')?.split(',');
    expect(headers).toEqual(['authorization', 'authorization-extras', 'content-type', 'x-namespace']);
    const refused = await post('/decode', undefined, {}, { origin: WEB_UI });
    expect(refused.headers.get('access-control-allow-origin')).toBe(WEB_UI);
  });

  test.each(['/decode', '/encode'])('%s takes a token from no other origin', async (path) => {
    const send = async (origin: string) => post(path, admin, { payloads: [await secret('a', OWN)] }, { origin });
    expect((await send(WEB_UI)).status).toBe(200);
    for (const origin of ['https://elsewhere.example', `${WEB_UI}.elsewhere.example`, 'null'])
      expect(await send(origin)).toMatchObject({ status: 403, payloads: undefined });
  });

  test.each([
    ['nonsense', '{', 400],
    ['data that is not base64', { payloads: [{ data: '?' }] }, 400],
    ['too much', JSON.stringify({ payloads: [{ data: 'A'.repeat(17 * 1024 * 1024) }] }), 413],
  ])('refuses %s', async (_, body, status) => {
    expect((await post('/decode', tenant, body)).status).toBe(status);
  });
});
