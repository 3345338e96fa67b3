import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collectionPath, hostPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { serveKinds } from '../builders/throw-away-kinds.ts';
import { type TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { getHost, type Host, hostIn, NAMESPACE } from './support/hosts.ts';
import {
  aCluster,
  aFreeHost,
  aMachine,
  conditionOf,
  create,
  expectGone,
  IMAGE,
  on,
  ownedBy,
  PATIENCE,
  remove,
} from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';

/** Hosts between two machines, reserved by their Cluster. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await shareFixtureLab();
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';

describe('a host that is kept', () => {
  test('is labelled when the old machine releases it, and goes to the new one although others are free', async () => {
    const machineSet = await create(lab, 'machineSet', 'workers-1', {
      metadata: {
        ownerReferences: [
          { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineDeployment', name: 'workers', uid: 'x' },
        ],
      },
      spec: { template: { spec: { infrastructureRef: { kind: 'Metal3MachineTemplate', name: 'kept' } } } },
    });
    await create(lab, 'metal3MachineTemplate', 'kept', {
      spec: { nodeReuse: true, template: { spec: { image: IMAGE } } },
    });
    const machine = {
      metadata: {
        ownerReferences: [ownedBy('machineSet', machineSet)],
        labels: { 'cluster.x-k8s.io/cluster-name': 'test1' },
      },
    };
    const shared = { hostSelector: { matchLabels: { pool: 'kept' } } };
    await aFreeHost(lab, 'kept-host', { labels: { pool: 'kept' } });
    await aMachine(lab, 'test1', 'kept-old', { machine, spec: shared });
    await hostIn(lab, 'kept-host', 'provisioned');
    await aFreeHost(lab, 'other-host', { labels: { pool: 'kept' } });

    await remove(lab, 'metal3Machine', 'kept-old');
    await expectGone(lab, 'metal3Machine', 'kept-old');
    const kept = (await getHost(lab, 'kept-host')) as Host;
    expect(kept.metadata['labels']).toMatchObject({ [REUSE]: 'md-workers' });
    expect(kept.spec).toMatchObject({ consumerRef: { kind: 'Cluster', name: 'test1' } });

    await aMachine(lab, 'test1', 'kept-new', { machine, spec: shared });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'kept-new', 'AssociateBareMetalHost'), PATIENCE)
      .toBe('True AssociateBareMetalHostViaNodeReuseSuccess');
    const taken = (await getHost(lab, 'kept-host')) as Host;
    expect(taken.spec).toMatchObject({ consumerRef: { kind: 'Metal3Machine', name: 'kept-new' } });
    expect(taken.metadata['labels']).not.toHaveProperty([REUSE]);
  });
  test('of a control plane is kept as the template says that its control plane names', async () => {
    const plane = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'AnyControlPlane',
      plural: 'anycontrolplanes',
    };
    await serveKinds(lab.kube, [plane]);
    await create(lab, 'metal3MachineTemplate', 'plane', {
      spec: { nodeReuse: true, template: { spec: { image: IMAGE } } },
    });
    const { apiVersion, kind } = plane;
    const machineTemplate = { spec: { infrastructureRef: { kind: 'Metal3MachineTemplate', name: 'plane' } } };
    const body = { apiVersion, kind, metadata: { name: 'plane' }, spec: { machineTemplate } };
    const made = await lab.kube.request({ method: 'POST', path: collectionPath(plane, NAMESPACE), body });
    const { uid } = (made as { metadata: { uid: string } }).metadata;
    const machine = {
      metadata: {
        ownerReferences: [{ apiVersion, kind, name: 'plane', uid, controller: true }],
        labels: { 'cluster.x-k8s.io/cluster-name': 'test1', 'cluster.x-k8s.io/control-plane': '' },
      },
    };
    await aFreeHost(lab, 'plane-host');
    await aMachine(lab, 'test1', 'plane-1', { machine, spec: on('plane-host') });
    await hostIn(lab, 'plane-host', 'provisioned');
    await remove(lab, 'metal3Machine', 'plane-1');
    await expectGone(lab, 'metal3Machine', 'plane-1');
    expect((await getHost(lab, 'plane-host'))?.metadata['labels']).toMatchObject({ [REUSE]: 'cp-plane' });
  });
  test('goes to a machine of another Cluster, which waits for it, once its own is deleted', async () => {
    const consumerRef = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      name: 'ended',
      namespace: NAMESPACE,
    };
    await aCluster(lab, 'ended');
    await aFreeHost(lab, 'left-host', { labels: { [REUSE]: 'md-ended' } });
    await lab.kube.patch(hostPath({ namespace: NAMESPACE, name: 'left-host' }), { spec: { consumerRef } });
    await aMachine(lab, 'test1', 'heir', { spec: on('left-host') });
    const said = () => conditionOf(lab, 'metal3Machine', 'heir', 'AssociateBareMetalHost');
    await expect.poll(said, PATIENCE).toMatch(/1 reserved for other machines/);
    await remove(lab, 'cluster', 'ended');
    await expect.poll(said, PATIENCE).toBe('True AssociateBareMetalHostSuccess');
    const taken = (await getHost(lab, 'left-host')) as Host;
    expect(taken.spec).toMatchObject({ consumerRef: { kind: 'Metal3Machine', name: 'heir' } });
    expect(taken.metadata['labels']).not.toHaveProperty([REUSE]);
  });
});

describe('the runs of a machine', () => {
  test.each(['kept-old', 'kept-new', 'heir'])('have summaries of all that is done: %s', async (name) => {
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
    await expect(keepRuns(lab, `machine-${name}`, id)).resolves.toBeUndefined();
  });
});
