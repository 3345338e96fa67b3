import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connectKube, type Kube } from '../../kube/client.ts';
import { findInstalled, isNotInstalled, listInstalled, resourceOf } from '../../kube/installed.ts';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath, type Resource } from '../../kube/paths.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { accountsOf } from './accounts.ts';

const GROUP = `${randomBytes(4).toString('hex')}.example.temper`;
const PLANES = { apiVersion: `${GROUP}/v1`, kind: 'Plane', plural: 'planes' };
const IN_VERSION_2: Resource = { ...PLANES, apiVersion: `${GROUP}/v2` };
const OBJECT = { namespace: 'default', name: 'nobody' };

const admin = connectKube(inject('kubeconfig'));
/** An account without a right of its own. */
let anyone: Kube;
beforeAll(async () => {
  await serveKinds(admin, [PLANES]);
  const { tokenOf, kubeconfigOf } = accountsOf(admin, inject('kubeconfig'));
  anyone = connectKube(await kubeconfigOf(await tokenOf('default', `anyone-${GROUP.split('.')[0]}`)));
});
afterAll(async () => {
  await Promise.all([admin.close(), anyone?.close()]);
});

const both = (kube: Kube, kind: Resource): Promise<readonly unknown[]> =>
  Promise.all([listInstalled(kube, kind, OBJECT.namespace), findInstalled(kube, kind, OBJECT)]);

describe('a kind that the API server does not serve', () => {
  test.each<[string, Resource]>([
    ['of a group that it does not know', { apiVersion: 'nowhere.example.temper/v1', plural: 'planes' }],
    ['in a group of custom resources', { ...PLANES, plural: 'ships' }],
    ['in a group of its own', { apiVersion: 'apps/v1', plural: 'ships' }],
  ])('has no objects: one %s', async (_, kind) => {
    await expect(admin.request({ path: collectionPath(kind, OBJECT.namespace) })).rejects.toMatchObject({
      status: 404,
      object: '',
    });
    expect(await isNotInstalled(admin, kind)).toBe(true);
    expect(await both(admin, kind)).toEqual([[], undefined]);
    await expect(anyone.request({ path: collectionPath(kind, OBJECT.namespace) })).rejects.toMatchObject({
      status: 403,
    });
    expect(await both(anyone, kind)).toEqual([[], undefined]);
  });

  test('in this version alone may have objects in another', async () => {
    expect(await isNotInstalled(admin, IN_VERSION_2)).toBe(false);
    await expect(both(admin, IN_VERSION_2)).rejects.toMatchObject({ status: 404, object: '' });
    expect(await resourceOf(admin, { ...PLANES, apiVersion: IN_VERSION_2.apiVersion })).toBeUndefined();
  });
});

test.each<[string, Resource]>([
  ['a custom resource', PLANES],
  ['a resource of its own', KINDS.secret],
])('an object that does not exist is named by the API server: %s', async (_, kind) => {
  expect(await both(admin, kind)).toEqual([expect.any(Array), undefined]);
  expect(await isNotInstalled(admin, kind)).toBe(false);
  await expect(both(anyone, kind)).rejects.toMatchObject({ status: 403 });
});

test('the resource of a kind is found by its name', async () => {
  expect(await resourceOf(admin, PLANES)).toEqual({ apiVersion: PLANES.apiVersion, plural: 'planes' });
  expect(await resourceOf(admin, { apiVersion: 'apps/v1', kind: 'Deployment' })).toMatchObject({
    plural: 'deployments',
  });
});
