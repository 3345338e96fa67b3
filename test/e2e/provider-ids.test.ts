import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodePath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { type TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { hostIn, inspectedByOthers, NAMESPACE } from './support/hosts.ts';
import {
  aCluster,
  aFreeHost,
  aMachine,
  aNode,
  conditionOf,
  expectToShow,
  getNode,
  type MachineWish,
  on,
  PATIENCE,
  patch,
} from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

/** How a machine and its Node get the same providerID, with `-provider-id-format=uid`. */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { ...QUICK_FIXTURE, PROVIDER_ID_FORMAT: 'uid' } });
  await aCluster(lab, 'plain');
  await aCluster(lab, 'cloudy');
  await patch(lab, 'metal3Cluster', 'cloudy', { spec: { cloudProviderEnabled: true } });
});
afterAll(() => lab?.stop());

const UUID = 'metal3.io/uuid';

/** A machine on a deployed host, both with this name. */
async function aDeployedMachine(name: string, { cluster = 'plain', host = {}, wish = {} }: Deployment = {}) {
  const { metadata } = await aFreeHost(lab, name, host);
  await aMachine(lab, cluster, name, { ...wish, spec: on(name) });
  await hostIn(lab, name, 'provisioned');
  return { uid: metadata.uid, byUid: `metal3://${metadata.uid}`, byNames: `metal3://${NAMESPACE}/${name}/${name}` };
}
interface Deployment {
  readonly cluster?: string;
  readonly host?: Parameters<typeof aFreeHost>[2];
  readonly wish?: MachineWish;
}
const expectLinked = (name: string, providerID: string) =>
  expectToShow(lab, 'metal3Machine', name, {
    spec: { providerID },
    status: { initialization: { provisioned: true } },
  });
const whyNot = (name: string): Promise<string> =>
  conditionOf(lab, 'metal3Machine', name, 'AssociateMetal3MachineMetaData');

describe('a Node', () => {
  test('without a providerID gets that of its host’s uid', async () => {
    const { uid, byUid } = await aDeployedMachine('bare');
    await aNode(lab, 'bare-node', { [UUID]: uid });
    await expectLinked('bare', byUid);
    expect((await getNode(lab, 'bare-node')).spec.providerID).toBe(byUid);
  });

  test('that is created again before Cluster API has found it gets its providerID again', async () => {
    const { uid, byUid } = await aDeployedMachine('anew');
    await aNode(lab, 'anew-node', { [UUID]: uid });
    await expectLinked('anew', byUid);
    await lab.kube.request({ method: 'DELETE', path: nodePath('anew-node') });
    await aNode(lab, 'anew-node', { [UUID]: uid });
    await expect.poll(async () => (await getNode(lab, 'anew-node')).spec.providerID, PATIENCE).toBe(byUid);
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: 'anew' });
    await expect(keepRuns(lab, 'node-anew', id)).resolves.toBeUndefined();
  });

  test('keeps the one that its kubelet was started with, and needs no label then', async () => {
    const { byNames } = await aDeployedMachine('preset');
    await aNode(lab, 'preset-node', {}, { providerID: byNames });
    await expectLinked('preset', byNames);
    expect((await getNode(lab, 'preset-node')).spec.providerID).toBe(byNames);
  });

  test('of a cluster with a cloud provider is waited for until that has given it one, and never written to', async () => {
    const { uid, byNames } = await aDeployedMachine('cloud', { cluster: 'cloudy' });
    await aNode(lab, 'cloud-node', { [UUID]: uid });
    await expect
      .poll(() => whyNot('cloud'), PATIENCE)
      .toContain('Cloud Provider Node ProviderID: error retrieving node');
    expect((await getNode(lab, 'cloud-node')).spec.providerID).toBe('');
    await lab.kube.patch(nodePath('cloud-node'), { spec: { providerID: byNames } });
    await expectLinked('cloud', byNames);
  });

  test('is found by its host name where it has no labels; the machine has its providerID before', async () => {
    const details = { hostname: 'by-name', nics: [{ name: 'eth0', ip: '192.168.100.7', mac: '52:54:00:00:00:07' }] };
    const annotations = inspectedByOthers(details);
    const wish = { machine: { spec: { bootstrap: { dataSecretName: 'named-boot' } } } };
    const { byUid } = await aDeployedMachine('named', { host: { annotations }, wish });
    await expectLinked('named', byUid);
    await expect.poll(() => whyNot('named'), PATIENCE).toMatch(/^False UpdateError: unable to find Node by hostname/);
    await aNode(lab, 'named-node', { 'kubernetes.io/hostname': 'by-name' });
    await expect.poll(async () => (await getNode(lab, 'named-node')).spec.providerID, PATIENCE).toBe(byUid);
  });

  test('is refused when another one has the providerID of its machine, in either format', async () => {
    const { metadata } = await aFreeHost(lab, 'twin');
    const [byUid, byNames] = [`metal3://${metadata.uid}`, `metal3://${NAMESPACE}/twin/twin`];
    await aNode(lab, 'twin-a', { [UUID]: metadata.uid }, { providerID: byUid });
    await aNode(lab, 'twin-b', {}, { providerID: byNames });
    await aMachine(lab, 'plain', 'twin', { spec: on('twin') });
    await expect
      .poll(() => whyNot('twin'), PATIENCE)
      .toBe(`False CreateError: providerID (${byUid}) cannot be used at the same time by node: (twin-a, twin-b)`);
    await lab.kube.request({ method: 'DELETE', path: nodePath('twin-b') });
    await expectLinked('twin', byUid);
  });
});
