import type { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { DATA_FINALIZER } from '../../../api/metal3data/kind.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../../kube/paths.ts';
import { objectsInMemory } from '../../../test/builders/objects-in-memory.ts';
import { behindPage, withoutGroup } from '../../../test/builders/partial-api.ts';
import { createDataActivities } from './data.ts';

const DATA = { namespace: 'metal', name: 'data-0', uid: 'u' };
const CLAIM = { namespace: 'metal', name: 'data-0-pool' };

/** A Metal3Data with a claim for an address. */
async function aDataWithAClaim(metadata: object = {}, through: (kube: Kube) => Kube = (kube) => kube) {
  const { kube } = objectsInMemory();
  const create = (kind: Resource, body: object): Promise<unknown> =>
    kube.request({ method: 'POST', path: collectionPath(kind, 'metal'), body });
  const { apiVersion, kind } = KINDS.data;
  await create(KINDS.data, { apiVersion, kind, metadata: { ...DATA, ...metadata }, spec: { index: 0 } });
  await create(KINDS.ipClaim, {
    apiVersion: KINDS.ipClaim.apiVersion,
    kind: KINDS.ipClaim.kind,
    metadata: { ...CLAIM, ownerReferences: [{ apiVersion, kind, name: DATA.name, uid: DATA.uid }] },
    spec: { pool: { name: 'pool' } },
  });
  const activities = createDataActivities({ kube: through(kube), namesClaimsAfterHosts: false });
  const path = objectPath(KINDS.ipClaim, CLAIM);
  return { activities, claim: () => kube.find(path), change: (meta: object) => kube.patch(path, { metadata: meta }) };
}

describe('the addresses of a Metal3Data', () => {
  test('are not released while it is not being deleted, whatever a message says', async () => {
    const { activities, claim } = await aDataWithAClaim();
    expect(await activities.releaseAddresses({ data: DATA })).toBe('changed');
    expect(await claim()).toBeDefined();
  });

  test('are not released for a Metal3Data that never was, with the uid of one that is there', async () => {
    const { activities, claim } = await aDataWithAClaim();
    expect(await activities.releaseAddresses({ data: { ...DATA, name: 'made-up' } })).toBe('done');
    expect(await claim()).toBeDefined();
  });

  test.each([
    ['there', {}, true],
    ['gone', { name: 'another' }, false],
  ])('stay while it is %s, although a message says that an earlier one had them', async (_, metadata, stays) => {
    const { activities, claim, change } = await aDataWithAClaim(metadata);
    await change({ finalizers: [DATA_FINALIZER], deletionTimestamp: '2026-01-01T00:00:00Z' });
    const letGo = activities.letClaimsGo({ data: { ...DATA, uid: 'made-up' }, claims: [CLAIM.name] });
    // A refusal, so that it is tried again: what was done is not done a second time.
    await expect(letGo.catch(({ type }: ApplicationFailure) => type)).resolves.toBe(stays ? 'InUse' : 'done');
    expect((await claim()) !== undefined).toBe(stays);
  });

  test.each([
    ['is being deleted', { deletionTimestamp: '2026-01-01T00:00:00Z' }],
    ['was made again', { uid: 'another' }],
  ])('are released when it %s', async (_, metadata) => {
    const { activities, claim } = await aDataWithAClaim(metadata);
    expect(await activities.releaseAddresses({ data: DATA })).toBe('done');
    expect(await claim()).toBeUndefined();
  });

  test.each(['ipclaims', 'ipaddressclaims'])(
    'are not taken for released while a load balancer has its own page for the %s',
    async (plural) => {
      const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
      const { activities } = await aDataWithAClaim(leaving, (kube) =>
        behindPage(kube, (path) => path.endsWith(plural)),
      );
      await expect(activities.releaseAddresses({ data: DATA })).rejects.toMatchObject({ type: 'ApiServerRefused' });
    },
  );

  test('are released where Cluster API is not installed, with its kind of claims', async () => {
    const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const { activities, claim } = await aDataWithAClaim(leaving, (kube) => withoutGroup(kube, 'ipam.cluster.x-k8s.io'));
    expect(await activities.releaseAddresses({ data: DATA })).toBe('done');
    expect(await claim()).toBeUndefined();
  });
});

describe('the Secrets of a Metal3Data', () => {
  const owned = (kind: { readonly apiVersion: string; readonly kind: string }, name: string) => ({
    ownerReferences: [{ apiVersion: kind.apiVersion, kind: kind.kind, name, uid: `${name}-uid` }],
  });

  /** Renders the data of a machine with a template that has these texts. */
  async function rendered(strings: readonly { readonly key: string; readonly value: string }[]) {
    const { kube } = objectsInMemory();
    const create = (kind: Resource & { readonly kind: string }, name: string, metadata: object, rest: object = {}) => {
      const body = {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name, uid: `${name}-uid`, ...metadata },
      };
      return kube.request({ method: 'POST', path: collectionPath(kind, 'metal'), body: { ...body, ...rest } });
    };
    await create(KINDS.dataTemplate, 'nodes', {}, { spec: { metaData: { strings } } });
    await create(KINDS.dataClaim, 'm3m', owned(KINDS.metal3Machine, 'm3m'));
    const onHost = { ...owned(KINDS.machine, 'machine'), annotations: { 'metal3.io/BareMetalHost': 'metal/host' } };
    await create(KINDS.metal3Machine, 'm3m', onHost, { spec: { dataTemplate: { name: 'nodes' } } });
    await create(KINDS.machine, 'machine', {}, { spec: { clusterName: 'c' } });
    await create(KINDS.host, 'host', {}, { spec: {} });
    const spec = { index: 0, template: { name: 'nodes' }, claim: { name: 'm3m' } };
    await create(KINDS.data, DATA.name, { uid: DATA.uid }, { spec });
    const activities = createDataActivities({ kube, namesClaimsAfterHosts: false });
    const answer = await activities.renderData({ data: DATA });
    return { answer, secret: await kube.find(objectPath(KINDS.secret, { namespace: 'metal', name: 'm3m-metadata' })) };
  }

  test('have YAML of what the template asks for', async () => {
    const { answer, secret } = await rendered([{ key: 'answer', value: 'yes' }]);
    expect(answer).toBe('done');
    expect(secret).toMatchObject({ stringData: { metaData: 'answer: "yes"\nproviderid: metal/host/m3m\n' } });
  });

  test('are not written when that is beyond the bound, which the Metal3Data says', async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => ({ key: `${at}`, value: '' }));
    expect(await rendered(many)).toEqual({ answer: 'changed', secret: undefined });
  });
});
