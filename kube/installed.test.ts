import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discoveryOf } from '../test/builders/api-discovery.ts';
import { kubeOf } from '../test/builders/kube-of.ts';
import type { Kube } from './client.ts';
import { findInstalled, listInstalled } from './installed.ts';
import { KINDS } from './kinds.ts';
import { collectionPath, objectPath } from './paths.ts';

const KIND = KINDS.ipAddressClaim;
const OBJECT = { namespace: 'metal', name: 'a' };
const LIST = collectionPath(KIND, 'metal');
const GET = objectPath(KIND, OBJECT);
const VERSION = `/apis/${KIND.apiVersion}`;

const PAGE = '<html><head><title>404 Not Found</title></head></html>';
const NO_PATH = '404 page not found\n';
const status = (code: number, reason: string, details?: object) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason,
  ...(details !== undefined && { details }),
  code,
});
const NO_RESOURCE = status(404, 'NotFound');
const NO_OBJECT = status(404, 'NotFound', { name: 'a', group: 'ipam.cluster.x-k8s.io', kind: 'ipaddressclaims' });
const FORBIDDEN = status(403, 'Forbidden', { group: 'ipam.cluster.x-k8s.io', kind: 'ipaddressclaims' });

const others = Object.values(KINDS).filter(({ apiVersion }) => apiVersion !== KIND.apiVersion);
const SERVED = discoveryOf();
const WITHOUT_GROUP = discoveryOf(others);
const WITHOUT_KIND = discoveryOf([...others, KINDS.clusterIpAddress]);
const OTHER_VERSION = discoveryOf([...others, { ...KIND, apiVersion: 'ipam.cluster.x-k8s.io/v1beta1' }]);

type Answers = Readonly<Record<string, object | string>>;

let answers: Answers;
let asked: string[];
let server: Server;
let kube: Kube;
beforeEach(async () => {
  asked = [];
  server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const answer = answers[url] ?? NO_PATH;
    if (typeof answer === 'string') return void response.writeHead(404, { 'content-type': 'text/html' }).end(answer);
    const { code = 200 } = answer as { readonly code?: number };
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.close();
});

const all = (): Promise<readonly unknown[]> => listInstalled(kube, KIND, 'metal');
const one = (): Promise<unknown> => findInstalled(kube, KIND, OBJECT);
const answering = (answer: object | string, more: Answers): void => {
  answers = { ...more, [LIST]: answer, [GET]: answer };
};

describe('a kind is not installed', () => {
  test.each([
    ['its group', NO_PATH, WITHOUT_GROUP],
    ['it in its version', NO_RESOURCE, WITHOUT_KIND],
    ['its group, to a person without a right to it', FORBIDDEN, WITHOUT_GROUP],
  ])('when the API server says that it does not serve %s', async (_, answer, discovery) => {
    answering(answer, discovery);
    expect(await all()).toEqual([]);
    expect(await one()).toBeUndefined();
  });
});

describe('nothing is said of a kind', () => {
  test.each([
    ['a page of a load balancer, while the kind is served', PAGE, SERVED],
    ['a page of a load balancer, in every place', PAGE, {}],
    ['a page of a load balancer, also in place of the version', PAGE, { ...SERVED, [VERSION]: PAGE }],
    ['a Status without an object, while the kind is served', NO_RESOURCE, SERVED],
    ['an unknown path, where the group is served in another version', NO_PATH, OTHER_VERSION],
    ['an unknown path, and a JSON in place of the groups', NO_PATH, { '/apis': { groups: [] } }],
    ['an unknown path, and a JSON in place of the version', NO_PATH, { ...SERVED, [VERSION]: { resources: [] } }],
    [
      'an unknown path, and the resources of another version',
      NO_PATH,
      { ...SERVED, [VERSION]: SERVED['/apis/metal3.io/v1alpha1'] ?? {} },
    ],
    ['a JSON of something else', status(404, '', { name: '' }), {}],
    ['an object that has no kind, by something else', { code: 404, details: { name: 'a' } }, {}],
    ['no right to it, while it is served', FORBIDDEN, SERVED],
  ])('by %s', async (_, answer, discovery) => {
    answering(answer, discovery);
    await expect(all()).rejects.toMatchObject({ name: 'KubeError', status: answer === FORBIDDEN ? 403 : 404 });
    await expect(one()).rejects.toMatchObject({ name: 'KubeError', status: answer === FORBIDDEN ? 403 : 404 });
  });
});

test('an object is gone when the API server names it, which is not asked for its kinds', async () => {
  answers = { [GET]: NO_OBJECT };
  expect(await one()).toBeUndefined();
  expect(asked).toEqual([GET]);
});

test('objects that exist are found without a question for kinds', async () => {
  answers = { [GET]: { metadata: { name: 'a' } }, [LIST]: { items: [{}] } };
  expect([await one(), await all()]).toEqual([{ metadata: { name: 'a' } }, [{}]]);
  expect(asked).toEqual([GET, LIST]);
});
