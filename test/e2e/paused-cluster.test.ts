import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { secretPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { type TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { editHost, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import {
  aCluster,
  aFreeHost,
  aMachine,
  conditionOf,
  expectToShow,
  KINDS,
  on,
  PATIENCE,
  patch,
} from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';

/** What happens to the hosts of a Cluster that is paused, and unpaused again. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await shareFixtureLab();
});
afterAll(() => lab?.stop());

const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';
const PAUSED = 'baremetalhost.metal3.io/paused';

describe('a Cluster that is paused', () => {
  test('pauses its hosts with their status in an annotation and unblocks clusterctl; all continue when it is unpaused', async () => {
    const machines = ['paused', 'older'];
    await aCluster(lab, 'paused');
    await Promise.all(machines.map((name) => aFreeHost(lab, `${name}-host`)));
    // As an older release leaves a host: it names the machine in an older version, and has no label of the Cluster.
    const older = { kind: 'Metal3Machine', name: 'older', namespace: NAMESPACE };
    await editHost(lab, 'older-host', {
      consumerRef: { ...older, apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' },
    });
    for (const name of machines) await aMachine(lab, 'paused', name, { spec: on(`${name}-host`) });
    await hostIn(lab, 'paused-host', 'provisioned');
    const taken = await hostIn(lab, 'older-host', 'provisioned');
    expect(taken.spec['consumerRef']).toEqual({ ...older, apiVersion: KINDS.metal3Machine.apiVersion });
    const labelled = { metadata: { labels: { [CLUSTER_LABEL]: 'paused' } } };
    const login = secretPath({ namespace: NAMESPACE, name: 'older-host-bmc' });
    for (const one of [taken, await lab.kube.request({ path: login })]) expect(one).toMatchObject(labelled);

    await patch(lab, 'cluster', 'paused', { spec: { paused: true } });
    for (const name of machines)
      await expect.poll(() => conditionOf(lab, 'metal3Machine', name, 'Paused'), PATIENCE).toBe('True Paused');
    const host = (await getHost(lab, 'paused-host')) as Host;
    const { 'baremetalhost.metal3.io/status': status = '{}', ...annotations } = host.metadata.annotations;
    expect(annotations).toMatchObject({ [PAUSED]: 'metal3.io/capm3' });
    expect(annotations).not.toHaveProperty(['clusterctl.cluster.x-k8s.io/block-move']);
    expect(JSON.parse(status)).toMatchObject({ provisioning: { state: 'provisioned' } });
    expect(JSON.parse(status)).not.toHaveProperty('hardware');
    expect((await getHost(lab, 'older-host'))?.metadata.annotations).toMatchObject({ [PAUSED]: 'metal3.io/capm3' });
    await patch(lab, 'metal3Machine', 'paused', {
      metadata: { finalizers: null },
      spec: { automatedCleaningMode: 'disabled' },
    });
    await editHost(lab, 'paused-host', { online: false });

    await patch(lab, 'cluster', 'paused', { spec: { paused: false } });
    // The machines wait for their Nodes, and kubectl waits for a condition of the generation that it has read.
    const resources = machines.map((name) => `metal3machines/${name}`);
    await kubectl(lab, ['wait', ...resources, '--for=condition=Paused=False', '--timeout=300s']);
    await hostThat(lab, 'paused-host', 'on again', ({ spec, metadata }) => {
      const blocked = 'clusterctl.cluster.x-k8s.io/block-move' in metadata.annotations;
      return spec['online'] === true && blocked && !(PAUSED in metadata.annotations);
    });
    await hostThat(lab, 'older-host', 'not paused', ({ metadata }) => !(PAUSED in metadata.annotations));
    await expectToShow(lab, 'metal3Machine', 'paused', {
      metadata: { finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'] },
    });
  });
});

describe('the run of a machine of a paused Cluster', () => {
  test('has summaries of all that is done', async () => {
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: 'paused' });
    await expect(keepRuns(lab, 'machine-paused', id)).resolves.toBeUndefined();
  });
});
