import { kubeconfigWith } from '../../../lab/control-plane/account.ts';
import { apply, fakeHostManifest, hostIn, hostThat, kubectl, NAMESPACE, secret } from '../../e2e/support/hosts.ts';
import { aMachine, aNode, create, type MachineWish, on, ownedBy } from '../../e2e/support/machines.ts';
import { image, machine, metadata, type Scene, type Seed } from './scene.ts';
import { NOWHERE } from './servers.ts';
import type { Asked } from './told.ts';

/** The Clusters of the seeds. */
export const CLUSTERS = ['prod', 'keyless', 'foreign', 'silent', 'stopped'] as const;

/** A host of Ironic's fake driver with this name, which only the machine of this name selects. */
async function aFakeHost(scene: Scene, name: string): Promise<void> {
  const { metadata, ...rest } = fakeHostManifest(name, { online: true }) as { metadata: object };
  await apply(scene.lab, { ...rest, metadata: { ...metadata, labels: { for: name } } });
  await hostIn(scene.lab, name, 'available');
}

/** A machine with a host of the fake driver. */
async function aPlacedMachine(scene: Scene, name: string, cluster = 'prod', spec: object = {}): Promise<Asked> {
  await aFakeHost(scene, name);
  await aMachine(scene.lab, cluster, name, { spec: { ...on(name), ...spec } });
  return machine(name);
}

/** A machine that gets no host, because its selector matches none. */
async function aMachineWithout(scene: Scene, name: string, cluster: string, wish: MachineWish = {}): Promise<Asked> {
  await aMachine(scene.lab, cluster, name, { ...wish, spec: { ...on('nobody'), ...wish.spec } });
  return machine(name);
}

async function aTemplatedMachine(scene: Scene, name: string, template: object): Promise<Asked> {
  await create(scene.lab, 'metal3DataTemplate', name, { spec: { clusterName: 'prod', ...template } });
  return aPlacedMachine(scene, name, 'prod', { dataTemplate: { name } });
}

const fromPool = (name: string): object => ({ metaData: { ipAddressesFromPool: [{ key: 'address', name }] } });

/** A machine whose host runs, with a Node for each of these names that shows the uid of the host. */
async function aRunningMachine(
  scene: Scene,
  name: string,
  nodes: readonly string[],
  spec: object = {},
): Promise<Asked> {
  const asked = await aPlacedMachine(scene, name);
  const { metadata } = await hostIn(scene.lab, name, 'provisioned');
  for (const node of nodes) await aNode(scene.lab, node, { 'metal3.io/uuid': metadata.uid }, spec);
  return asked;
}

async function withKubeconfig(scene: Scene, cluster: string, kubeconfig: string): Promise<void> {
  await apply(scene.lab, secret(`${cluster}-kubeconfig`, { value: kubeconfig }));
}

/** What keeps a machine or a cluster waiting, by its cause. */
export const MACHINE_SEEDS: Readonly<Record<string, Seed>> = {
  'selector-matches-nothing': (scene) => aMachineWithout(scene, 'choosy', 'prod'),
  'selector-invalid': (scene) =>
    aMachineWithout(scene, 'odd', 'prod', { spec: { hostSelector: { matchLabels: { 'rack 1': 'a' } } } }),
  'hosts-taken': async (scene) => {
    await aPlacedMachine(scene, 'taken');
    await hostThat(scene.lab, 'taken', 'consumed', ({ spec }) => spec['consumerRef'] !== undefined);
    await aMachine(scene.lab, 'prod', 'late', { spec: on('taken') });
    return machine('late');
  },
  'node-missing': (scene) => aRunningMachine(scene, 'nodeless', []),
  'node-other-provider-id': (scene) => aRunningMachine(scene, 'stray', ['stray'], { providerID: 'openstack:///1' }),
  'node-ambiguous': (scene) => aRunningMachine(scene, 'twice', ['twice', 'twice-again']),
  'kubeconfig-missing': async (scene) => {
    await scene.lab.kube.request({
      method: 'DELETE',
      path: `/api/v1/namespaces/${NAMESPACE}/secrets/keyless-kubeconfig`,
    });
    return aPlacedMachine(scene, 'keyless-1', 'keyless');
  },
  'workload-refuses': async (scene) => {
    await withKubeconfig(scene, 'foreign', await kubeconfigWith('not-a-token', scene.lab.endpoints.kubeconfig));
    return aPlacedMachine(scene, 'foreign-1', 'foreign');
  },
  'workload-unreachable': async (scene) => {
    const kubeconfig = await kubeconfigWith('not-a-token', scene.lab.endpoints.kubeconfig);
    await withKubeconfig(scene, 'silent', kubeconfig.replace(/server: \S+/, `server: https://${NOWHERE}`));
    return aPlacedMachine(scene, 'silent-1', 'silent');
  },
  'template-missing': (scene) => aPlacedMachine(scene, 'untemplated', 'prod', { dataTemplate: { name: 'nowhere' } }),
  'template-bad': (scene) =>
    aTemplatedMachine(scene, 'bad-template', { metaData: { fromHostInterfaces: [{ key: 'mac', interface: 'eth7' }] } }),
  'pool-missing': (scene) => aTemplatedMachine(scene, 'poolless', fromPool('nowhere')),
  'pool-exhausted': async (scene) => {
    const apiVersion = 'ipam.metal3.io/v1alpha1';
    const pools = [{ start: '192.0.2.1', end: '192.0.2.1' }];
    await apply(
      scene.lab,
      { apiVersion, kind: 'IPPool', metadata: metadata('empty'), spec: { namePrefix: 'empty', prefix: 24, pools } },
      { apiVersion, kind: 'IPClaim', metadata: metadata('holder'), spec: { pool: { name: 'empty' } } },
    );
    await kubectl(scene.lab, [
      'wait',
      `-n${NAMESPACE}`,
      'ipclaim/holder',
      '--for=jsonpath={.status.address}',
      '--timeout=600s',
    ]);
    return aTemplatedMachine(scene, 'addressless', fromPool('empty'));
  },
  'bootstrap-data-missing': async (scene) => {
    const name = 'bootless';
    const labels = { 'cluster.x-k8s.io/cluster-name': 'prod' };
    const bootstrap = { configRef: { apiGroup: 'bootstrap', kind: 'KubeadmConfig', name } };
    const owner = await create(scene.lab, 'machine', name, {
      metadata: { labels },
      spec: { clusterName: 'prod', bootstrap },
    });
    const ownerReferences = [ownedBy('machine', owner)];
    await create(scene.lab, 'metal3Machine', name, { metadata: { labels, ownerReferences }, spec: image(scene) });
    return machine(name);
  },
  'machine-without-owner': async (scene) => {
    await create(scene.lab, 'metal3Machine', 'ownerless', { spec: image(scene) });
    return machine('ownerless');
  },
  'machine-paused': (scene) =>
    aMachineWithout(scene, 'paused-machine', 'prod', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }),
  'infrastructure-not-ready': async (scene) => {
    await create(scene.lab, 'cluster', 'bare', {});
    return aMachineWithout(scene, 'early', 'bare');
  },
  'cluster-paused': async (scene) => {
    await scene.lab.kube.patch(`/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/clusters/stopped`, {
      spec: { paused: true },
    });
    return { kind: 'cluster', name: 'stopped' };
  },
};
