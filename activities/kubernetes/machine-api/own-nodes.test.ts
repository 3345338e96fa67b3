import { afterEach, describe, expect, test } from 'vitest';
import { OPENSHIFT_API } from '../../../domain/machine-api/names.ts';
import { type ApiServerOf, apiServerOf } from '../../../test/builders/api-server-of.ts';
import { STALE } from '../../../workflows/messages.ts';
import { createOwnNodeActivities } from './own-nodes.ts';

const ORDER = {
  node: { name: 'node-a', uid: 'node-uid' },
  machine: { namespace: 'metal', name: 'worker-0', api: OPENSHIFT_API, uid: 'machine-uid' },
  providerID: 'baremetalhost:///metal/host-1/uid-1',
};

let open: ApiServerOf | undefined;
afterEach(async () => open?.close());
/** Activities on a Node and its Machine. */
async function activitiesOn({
  node = {},
  spec = {},
  status: nodeStatus = {},
  machine = {},
}: {
  node?: object;
  spec?: object;
  status?: object;
  machine?: {
    readonly deletionTimestamp?: string;
    readonly uid?: string;
    readonly annotations?: object;
    readonly spec?: object;
    readonly status?: object;
  };
} = {}) {
  const { spec: machineSpec = {}, status = { nodeRef: { name: 'node-a' } }, ...machineMetadata } = machine;
  open = await apiServerOf({
    '/api/v1/nodes/node-a': {
      metadata: { name: 'node-a', uid: 'node-uid', resourceVersion: '3', ...node },
      spec,
      status: nodeStatus,
    },
    '/apis/machine.openshift.io/v1beta1/namespaces/metal/machines/worker-0': {
      metadata: { namespace: 'metal', name: 'worker-0', uid: 'machine-uid', ...machineMetadata },
      spec: { providerID: ORDER.providerID, ...machineSpec },
      status,
    },
    '/apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts/host-1': {
      metadata: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
      spec: { consumerRef: { apiVersion: OPENSHIFT_API, kind: 'Machine', name: 'worker-0', namespace: 'metal' } },
      status: { hardware: { hostname: 'node-a', nics: [{ ip: '10.0.0.7' }] } },
    },
  });
  return createOwnNodeActivities(open.kube);
}
const annotations = { 'machine.openshift.io/machine': 'metal/worker-0' };
const { providerID } = ORDER;

describe('the Node of a Machine', () => {
  test.each([
    ['gets providerID and name', {}, {}, { metadata: { resourceVersion: '3', annotations }, spec: { providerID } }],
    ['keeps a providerID', {}, { providerID: 'x' }, { metadata: { resourceVersion: '3', annotations } }],
    [
      'keeps its other finalizers',
      { annotations, finalizers: ['metal3.io/capbm', 'mine'] },
      { providerID },
      { metadata: { resourceVersion: '3', finalizers: ['mine'] } },
    ],
  ])('%s', async (_, node, spec, patch) => {
    await (await activitiesOn({ node, spec })).linkOwnNode(ORDER);
    expect(open?.patches).toEqual([patch]);
  });

  const taints = [{ key: 'infra', effect: 'NoSchedule' }];
  const filling = { spec: { metadata: { labels: { rack: '7' } }, taints } };
  test('gets the labels and taints of its Machine beside its own, where no other controller writes them', async () => {
    const own = [{ key: 'own', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' }];
    const given = { node: { annotations, labels: { rack: '8' } }, spec: { providerID, taints: own }, machine: filling };
    await (await activitiesOn(given)).linkOwnNode({ ...ORDER, fills: true });
    expect(open?.patches).toEqual([
      { metadata: { resourceVersion: '3', labels: { rack: '7' } }, spec: { taints: [...own, ...taints] } },
    ]);
    await open?.close();
    await (await activitiesOn(given)).linkOwnNode({ ...ORDER, fills: false });
    expect(open?.patches).toEqual([]);
  });

  test.each([
    ['is as it should be', { annotations }, { providerID }],
    ['is another one by now', { uid: 'other' }, {}],
  ])('is not changed when it %s', async (_, node, spec) => {
    await (await activitiesOn({ node, spec })).linkOwnNode(ORDER);
    expect(open?.patches).toEqual([]);
  });

  const unnamed = { spec: { providerID: '' }, status: {}, annotations: { 'metal3.io/BareMetalHost': 'metal/host-1' } };
  const at = (address: string) => ({ addresses: [{ type: 'InternalIP', address }] });
  test('is known by the address of its host before it has a providerID', async () => {
    await (await activitiesOn({ machine: unnamed, status: at('10.0.0.7') })).linkOwnNode(ORDER);
    expect(open?.patches).toEqual([{ metadata: { resourceVersion: '3', annotations }, spec: { providerID } }]);
  });

  test.each([
    ['the Node of another host', { machine: unnamed, status: at('10.0.0.8') }, ORDER],
    ['the providerID of another host', {}, { ...ORDER, providerID: 'baremetalhost:///metal/host-2/uid-2' }],
    ['any of this, without a host', { machine: { ...unnamed, annotations: {} }, status: at('10.0.0.7') }, ORDER],
  ])('is not %s, which a made-up order names', async (_, given, order) => {
    const activities = await activitiesOn(given);
    await expect(activities.linkOwnNode(order)).rejects.toMatchObject({ type: STALE });
    expect(open?.patches).toEqual([]);
  });

  test.each([
    ['is named by it', {}, {}, undefined],
    ['has its providerID', { status: {} }, { providerID }, undefined],
    ['is that of another', { status: { nodeRef: { name: 'node-b' } } }, { providerID: 'x' }, STALE],
    ['has no providerID, as the Machine has none', { status: {}, spec: { providerID: '' } }, {}, STALE],
  ])('of a Machine that is being deleted is deleted if it %s', async (_, change, spec, refusal) => {
    const machine = { deletionTimestamp: '2026-01-01T00:00:00Z', ...change };
    const removed = (await activitiesOn({ machine, spec })).removeOwnNode(ORDER);
    const type = await removed.then(
      () => undefined,
      (error: { readonly type: string }) => error.type,
    );
    expect(type).toBe(refusal);
  });

  test.each([
    ['10.0.0.7', undefined],
    ['10.0.0.8', STALE],
  ])(
    'of a Machine that is being deleted is known by the address of its host, also without a providerID: %s',
    async (address, refusal) => {
      const machine = { deletionTimestamp: '2026-01-01T00:00:00Z', status: { nodeRef: { name: 'gone' } } };
      const activities = await activitiesOn({ machine, status: at(address) });
      const type = await activities.removeOwnNode(ORDER).then(
        () => undefined,
        (error: { readonly type: string }) => error.type,
      );
      expect(type).toBe(refusal);
    },
  );

  test('of a Machine that is being deleted loses the finalizer, and gets nothing', async () => {
    const machine = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    await (await activitiesOn({ node: { finalizers: ['metal3.io/capbm'] }, machine })).linkOwnNode(ORDER);
    expect(open?.patches).toEqual([{ metadata: { resourceVersion: '3', finalizers: [] } }]);
  });

  test.each([
    [
      'changed for a Machine that is gone',
      { uid: 'other' },
      'linkOwnNode',
      'change a Node: Machine worker-0 does not exist any more',
    ],
    [
      'deleted for a Machine that stays',
      {},
      'removeOwnNode',
      'delete Node node-a: Machine worker-0 is not being deleted',
    ],
  ] as const)('is not %s', async (_, machine, name, message) => {
    const activities = await activitiesOn({ machine });
    await expect(activities[name](ORDER)).rejects.toMatchObject({ type: STALE, message });
  });
});
