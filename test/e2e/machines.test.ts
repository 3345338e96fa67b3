import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPath, nodePath, secretPath } from '../../kube/paths.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { forbid, named, unchanged, untilForbidden } from '../builders/policy.ts';
import { type TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { apply, editHost, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import {
  aCluster,
  aFreeHost as aFreeHostOf,
  aMachine,
  aNode,
  conditionOf,
  create,
  expectGone,
  expectToShow,
  get,
  getNode,
  hasHost,
  IMAGE,
  linkNode,
  on,
  ownedBy,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';

/**
 * Metal3Machines on hosts of the fixture, with Machines and Clusters written by the test, from a free host to a Node
 * and back.
 */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await shareFixtureLab();
  await aCluster(lab, 'test1', { 'metal3.io/metal3-label-sync-prefixes': 'rack.example.com' });
});
afterAll(() => lab?.stop());

/** Those of the fixture's machines. */
const ADDRESSES: unknown = expect.arrayContaining([{ type: 'InternalIP', address: '192.168.100.1' }]);
const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';

const aFreeHost = (name: string, labels: object = {}, annotations: object = {}): Promise<Host> =>
  aFreeHostOf(lab, name, { labels, annotations });
const labelsOf = (host: Host): unknown => host.metadata['labels'];
/** A machine that runs on its host as the Node of the same name. */
async function aRunningMachine(name: string, host: string, wish: Parameters<typeof aMachine>[3] = {}): Promise<void> {
  const { metadata } = await aFreeHost(host);
  await aMachine(lab, 'test1', name, { ...wish, spec: { ...on(host), ...wish.spec } });
  await hostIn(lab, host, 'provisioned');
  await aNode(lab, name, { 'metal3.io/uuid': metadata.uid });
  await expectToShow(lab, 'metal3Machine', name, { status: { initialization: { provisioned: true } } });
  await linkNode(lab, name, name);
}

describe('a Metal3Cluster', () => {
  test('with an owner and an endpoint is ready', async () => {
    await expectToShow(lab, 'metal3Cluster', 'test1', {
      metadata: { finalizers: ['metal3cluster.infrastructure.cluster.x-k8s.io'] },
      status: {
        initialization: { provisioned: true },
        conditions: [{ type: 'Ready', status: 'True' }, { type: 'BaremetalInfrastructureReady' }, { type: 'Paused' }],
      },
    });
  });
});

describe('a Metal3Machine', () => {
  test('waits for a host and says why there is none, claims the first that comes, runs on it, and releases it', async () => {
    await aMachine(lab, 'test1', 'story', { spec: on('story-host') });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'story', 'AssociateBareMetalHost'), PATIENCE)
      .toBe(
        'False AssociateBareMetalHostFailed: failed to associate the Metal3Machine to a BareMetalHost: no available host found. there are no hosts in this namespace',
      );

    const free = await aFreeHost('story-host', { 'rack.example.com/row': '7' });
    const machine = await expectToShow(lab, 'metal3Machine', 'story', {
      metadata: {
        annotations: { 'metal3.io/BareMetalHost': `${NAMESPACE}/story-host` },
        finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'],
      },
    });
    const host = await hostIn(lab, 'story-host', 'provisioned');
    const { diskFormat: format, ...image } = IMAGE;
    expect(host.spec).toMatchObject({
      image: { ...image, format },
      userData: { name: 'story-boot', namespace: NAMESPACE },
      online: true,
      consumerRef: { kind: 'Metal3Machine', name: 'story', namespace: NAMESPACE },
    });
    expect(labelsOf(host)).toMatchObject({ [CLUSTER_LABEL]: 'test1' });
    expect(host.metadata.annotations).toHaveProperty(['clusterctl.cluster.x-k8s.io/block-move']);
    const bmc = { namespace: NAMESPACE, name: 'story-host-bmc' };
    expect(await lab.kube.request({ path: secretPath(bmc) })).toMatchObject({
      metadata: { labels: { [CLUSTER_LABEL]: 'test1' } },
    });

    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'story', 'AssociateMetal3MachineMetaData'), PATIENCE)
      .toContain(`could not find node with label: metal3.io/uuid=${free.metadata.uid}`);
    await aNode(lab, 'story-node', { 'metal3.io/uuid': free.metadata.uid, 'rack.example.com/old': '1' });
    const providerID = `metal3://${NAMESPACE}/story-host/story`;
    await expectToShow(lab, 'metal3Machine', 'story', {
      spec: { providerID },
      status: {
        initialization: { provisioned: true },
        userData: { name: 'story-boot', namespace: NAMESPACE },
        addresses: ADDRESSES,
      },
    });
    expect(await conditionOf(lab, 'metal3Machine', 'story', 'Ready')).toBe('True Ready');
    const said = (type: string): unknown => expect.objectContaining({ type, status: 'True' });
    expect(await get(lab, 'metal3Machine', 'story')).toMatchObject({
      status: {
        deprecated: {
          v1beta1: { conditions: expect.arrayContaining([said('Ready'), said('AssociateBMH')]) as unknown },
        },
      },
    });
    expect((await getNode(lab, 'story-node')).spec.providerID).toBe(providerID);

    await linkNode(lab, 'story', 'story-node');
    await expect
      .poll(async () => (await getNode(lab, 'story-node')).metadata.labels, PATIENCE)
      .toEqual({ 'metal3.io/uuid': free.metadata.uid, 'rack.example.com/row': '7' });
    await lab.kube.patch(nodePath('story-node'), {
      metadata: { labels: { 'rack.example.com/row': '8', 'rack.example.com/by': 'hand' } },
    });
    await expect
      .poll(async () => (await getNode(lab, 'story-node')).metadata.labels, PATIENCE)
      .toEqual({ 'metal3.io/uuid': free.metadata.uid, 'rack.example.com/row': '7' });

    await remove(lab, 'metal3Machine', 'story');
    await expectGone(lab, 'metal3Machine', 'story');
    const back = (await getHost(lab, 'story-host')) as Host;
    expect(back.status.provisioning.state).toBe('available');
    expect(back.spec).not.toHaveProperty('consumerRef');
    expect(back.spec).toMatchObject({ online: false });
    expect(labelsOf(back)).not.toHaveProperty([CLUSTER_LABEL]);
    expect(back.metadata.annotations).not.toHaveProperty(['clusterctl.cluster.x-k8s.io/block-move']);
    expect(machine.metadata.uid).not.toBe('');
  });

  test('whose host is provisioned for another machine does not wait for it', async () => {
    await aRunningMachine('first', 'one-host');
    await aMachine(lab, 'test1', 'second', { spec: on('one-host') });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'second', 'AssociateBareMetalHost'), PATIENCE)
      .toMatch(/1 taken/);
    await remove(lab, 'metal3Machine', 'first');
    await expectToShow(lab, 'metal3Machine', 'second', hasHost('one-host'));
    await remove(lab, 'metal3Machine', 'second');
    await expectGone(lab, 'metal3Machine', 'second');
  });

  test('takes a host of the failure domain of its Machine, and any other when there is none left', async ({ skip }) => {
    atNight(skip, 'domain/machine/choose-host/select-host.test.ts');
    const domain = 'infrastructure.cluster.x-k8s.io/failure-domain';
    await aFreeHost('east-host', { pool: 'domains', [domain]: 'east' });
    await aFreeHost('west-host', { pool: 'domains', [domain]: 'west' });
    const wish = {
      machine: { spec: { failureDomain: 'west' } },
      spec: { hostSelector: { matchLabels: { pool: 'domains' } } },
    };
    await aMachine(lab, 'test1', 'western', wish);
    await expectToShow(lab, 'metal3Machine', 'western', { ...hasHost('west-host'), spec: { failureDomain: 'west' } });
    await aMachine(lab, 'test1', 'western-2', wish);
    await expectToShow(lab, 'metal3Machine', 'western-2', { ...hasHost('east-host'), spec: { failureDomain: 'west' } });
  });

  test('takes no host that is marked as unhealthy, by the older name as well, before the mark is gone', async ({
    skip,
  }) => {
    atNight(skip, 'domain/machine/choose-host/select-host.test.ts');
    await aFreeHost('ill-host', {}, { 'capi.metal3.io/unhealthy': '' });
    await aMachine(lab, 'test1', 'careful', { spec: on('ill-host') });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'careful', 'AssociateBareMetalHost'), PATIENCE)
      .toMatch(/1 unhealthy/);
    await lab.kube.patch(hostPath({ namespace: NAMESPACE, name: 'ill-host' }), {
      metadata: { annotations: { 'capi.metal3.io/unhealthy': null } },
    });
    await expectToShow(lab, 'metal3Machine', 'careful', hasHost('ill-host'));
  });

  test('whose host and Secret a policy keeps from labels runs on it, is deleted, and says so, as the host does', async () => {
    const message = 'labels are our business';
    const allows = named('strict', unchanged('labels'));
    const resources = ['secrets', 'baremetalhosts'];
    const allow = await forbid(lab.kube, { namespace: NAMESPACE, name: 'strict', resources, allows, message });
    await apply(lab, secret('strict-probe', { a: 'b' }));
    await untilForbidden(lab.kube, secretPath({ namespace: NAMESPACE, name: 'strict-probe' }));
    const said = expect.stringContaining(message) as unknown;
    const conditions = expect.arrayContaining([
      expect.objectContaining({ type: 'WriteRefused', status: 'True', message: said }),
    ]) as unknown;

    expect((await aFreeHost('strict-host')).status).toMatchObject({ conditions });
    await aMachine(lab, 'test1', 'strict', { spec: on('strict-host') });
    await hostIn(lab, 'strict-host', 'provisioned');
    await expectToShow(lab, 'metal3Machine', 'strict', { status: { conditions } });

    await remove(lab, 'metal3Machine', 'strict');
    await expectGone(lab, 'metal3Machine', 'strict');
    expect((await getHost(lab, 'strict-host'))?.spec).not.toHaveProperty('consumerRef');
    await allow();
  });

  test('whose host waits for a Secret says what its host says; deleted while its host is deployed, it releases it', async ({
    skip,
  }) => {
    atNight(skip, 'domain/machine/associate/associate.test.ts');
    await aFreeHost('hasty-host');
    await aMachine(lab, 'test1', 'hasty', { spec: { ...on('hasty-host'), metaData: { name: 'late-metadata' } } });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'hasty', 'Ready'), PATIENCE)
      .toMatch(
        /^Unknown ReadyUnknown: \* BareMetalHost hasty-host: NotProvisioned: deploying .* since .*; Provision .*: deployNode: \d+ attempts since .*, last answer: .*late-metadata/,
      );
    await remove(lab, 'metal3Machine', 'hasty');
    await expectGone(lab, 'metal3Machine', 'hasty');
    const { spec } = await hostIn(lab, 'hasty-host', 'available');
    expect(spec).not.toHaveProperty('consumerRef');
    expect(spec).not.toHaveProperty('image');
  });

  test('takes the providerID over that its Node carries, in the older form', async ({ skip }) => {
    atNight(skip, 'domain/machine/node-link/provider-id.test.ts');
    const { metadata } = await aFreeHost('legacy-host');
    const providerID = `metal3://${metadata.uid}`;
    await aNode(lab, 'legacy-node', { 'metal3.io/uuid': metadata.uid }, { providerID });
    await aMachine(lab, 'test1', 'legacy', { spec: on('legacy-host') });
    await expectToShow(lab, 'metal3Machine', 'legacy', {
      spec: { providerID },
      status: { initialization: { provisioned: true } },
    });
  });

  test('with a data template asks for data, waits for it, and fills its host with it', async () => {
    await aFreeHost('data-host');
    await apply(lab, secret('data-metadata', { metaData: 'a: b' }));
    await aMachine(lab, 'test1', 'data', { spec: { ...on('data-host'), dataTemplate: { name: 'elsewhere' } } });
    const claim = await expectToShow(lab, 'metal3DataClaim', 'data', {
      metadata: { finalizers: ['metal3machine.infrastructure.cluster.x-k8s.io'], labels: { [CLUSTER_LABEL]: 'test1' } },
      spec: { template: { name: 'elsewhere', namespace: NAMESPACE } },
    });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'data', 'AssociateMetal3MachineMetaData'), PATIENCE)
      .toBe('False CreateError: failed to update BareMetalHost: waiting for Metal3DataTemplate to be available');
    await create(lab, 'metal3Data', 'elsewhere-0', {
      metadata: { ownerReferences: [ownedBy('metal3DataClaim', claim)] },
      spec: {
        index: 0,
        claim: { name: 'data', namespace: NAMESPACE },
        template: { name: 'elsewhere', namespace: NAMESPACE },
        metaData: { name: 'data-metadata' },
      },
      status: { ready: true },
    });
    const renderedData = { name: 'elsewhere-0', namespace: NAMESPACE };
    await patch(lab, 'metal3DataClaim', 'data', { status: { renderedData } }, '/status');
    expect((await kubectl(lab, ['get', 'metal3data', 'elsewhere-0', '-o', 'wide'])).split('\n')).toEqual([
      expect.stringMatching(/^NAME +AGE +MACHINE +TEMPLATE +INDEX +READY +REASON$/),
      expect.stringMatching(/^elsewhere-0 +\S+ +data +elsewhere +0 /),
    ]);
    const { spec } = await hostThat(lab, 'data-host', 'filled', (host) => host.spec['image'] !== undefined);
    expect(spec).toMatchObject({ metaData: { name: 'data-metadata', namespace: NAMESPACE } });
    await expectToShow(lab, 'metal3Machine', 'data', { status: { renderedData } });

    await remove(lab, 'metal3Machine', 'data');
    await expectGone(lab, 'metal3Machine', 'data');
    expect((await getHost(lab, 'data-host'))?.spec).not.toHaveProperty('metaData');
    expect(await get(lab, 'metal3DataClaim', 'data')).toBeUndefined();
  });

  test('whose data template names a NIC that its host lacks says which, and its host is not deployed', async ({
    skip,
  }) => {
    atNight(skip, 'domain/data/examine.test.ts');
    await create(lab, 'metal3DataTemplate', 'asking', {
      spec: { clusterName: 'test1', metaData: { fromHostInterfaces: [{ key: 'mac', interface: 'eth9' }] } },
    });
    await aFreeHost('asked-host');
    await aMachine(lab, 'test1', 'asker', { spec: { ...on('asked-host'), dataTemplate: { name: 'asking' } } });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'asker', 'Metal3DataReady'), PATIENCE)
      .toBe('False WaitingForMetal3Data: NIC name not found eth9');
    expect(await conditionOf(lab, 'metal3Machine', 'asker', 'Ready')).toContain('NIC name not found eth9');
    expect(await get(lab, 'metal3Data', 'asking-0')).toMatchObject({
      spec: { index: 0, claim: { name: 'asker' } },
      status: { ready: false, errorMessage: 'NIC name not found eth9' },
    });
    expect((await getHost(lab, 'asked-host'))?.spec).not.toHaveProperty('image');

    await remove(lab, 'metal3Machine', 'asker');
    await expectGone(lab, 'metal3Machine', 'asker');
    await expectGone(lab, 'metal3Data', 'asking-0');
  });

  test('whose data template names a pool that is not there says what it waits for', async ({ skip }) => {
    atNight(skip, 'test/integration/data.test.ts');
    await create(lab, 'metal3DataTemplate', 'pooled', {
      spec: { clusterName: 'test1', metaData: { ipAddressesFromPool: [{ key: 'ip', name: 'nowhere' }] } },
    });
    await aFreeHost('pooled-host');
    await aMachine(lab, 'test1', 'pooled', { spec: { ...on('pooled-host'), dataTemplate: { name: 'pooled' } } });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'pooled', 'Metal3DataReady'), PATIENCE)
      .toBe('False WaitingForMetal3Data: waiting for an address from IPPool nowhere');
    expect((await get(lab, 'metal3Data', 'pooled-0'))?.['status']).toEqual({ conditions: [], ready: false });

    await remove(lab, 'metal3Machine', 'pooled');
    await expectGone(lab, 'metal3Machine', 'pooled');
    await expectGone(lab, 'metal3Data', 'pooled-0');
  });
});

describe('the template of a machine', () => {
  test('sets its cleaning mode, and that of its host', async ({ skip }) => {
    atNight(skip, 'domain/machine/normal.test.ts');
    await create(lab, 'metal3MachineTemplate', 'cleaned', { spec: { template: { spec: { image: IMAGE } } } });
    await aFreeHost('cleaned-host');
    const annotations = {
      'cluster.x-k8s.io/cloned-from-name': 'cleaned',
      'cluster.x-k8s.io/cloned-from-groupkind': 'Metal3MachineTemplate.infrastructure.cluster.x-k8s.io',
    };
    await aMachine(lab, 'test1', 'cleaned', { metadata: { annotations }, spec: on('cleaned-host') });
    await hostIn(lab, 'cleaned-host', 'provisioned');
    await patch(lab, 'metal3MachineTemplate', 'cleaned', {
      spec: { template: { spec: { automatedCleaningMode: 'disabled' } } },
    });
    await expectToShow(lab, 'metal3Machine', 'cleaned', { spec: { automatedCleaningMode: 'disabled' } });
    await hostThat(
      lab,
      'cleaned-host',
      'not to be cleaned',
      ({ spec }) => spec['automatedCleaningMode'] === 'disabled',
    );
  });
});

describe('a host that loses its consumer under its machine', () => {
  test('gets it back, also in quarantine, keeps its image, and is released when the machine is deleted, with any other that has it as consumer', async () => {
    await aRunningMachine('robbed', 'robbed-host');
    const consumerRef = (await getHost(lab, 'robbed-host'))?.spec?.['consumerRef'];
    for (const reason of [null, 'the fan is loud']) {
      const quarantine = { annotations: { 'temper/quarantine': reason } };
      const path = hostPath({ namespace: NAMESPACE, name: 'robbed-host' });
      await lab.kube.patch(path, { metadata: quarantine, spec: { consumerRef: null } });
      const again = await hostThat(
        lab,
        'robbed-host',
        'has a consumer',
        ({ spec }) => spec?.['consumerRef'] !== undefined,
      );
      expect(again).toMatchObject({ spec: { consumerRef }, status: { provisioning: { state: 'provisioned' } } });
      expect(again.metadata.annotations?.['temper/quarantine'] ?? null).toBe(reason);
      await lab.kube.patch(path, { metadata: { annotations: { 'temper/quarantine': null } } });
    }
    await aFreeHost('robbed-second');
    await editHost(lab, 'robbed-second', { consumerRef, image: IMAGE, online: true });
    await hostIn(lab, 'robbed-second', 'provisioned');
    await remove(lab, 'metal3Machine', 'robbed');
    await expectGone(lab, 'metal3Machine', 'robbed');
    for (const host of ['robbed-host', 'robbed-second'])
      expect((await hostIn(lab, host, 'available')).spec).not.toHaveProperty('consumerRef');
  });
});

describe('a host that vanishes under its machine', () => {
  test('is shown as missing, and the machine can still be deleted', async () => {
    await aFreeHost('lost-host');
    await aMachine(lab, 'test1', 'lost', { spec: on('lost-host') });
    await hostIn(lab, 'lost-host', 'provisioned');
    await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name: 'lost-host' }) });
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', 'lost', 'AssociateMetal3MachineMetaData'), PATIENCE)
      .toBe('False CreateError: failed to update BareMetalHost: BareMetalHost not found for machine lost');
    await remove(lab, 'metal3Machine', 'lost');
    await expectGone(lab, 'metal3Machine', 'lost');
  });
});

describe('the runs of a machine', () => {
  test.each(['data', 'lost'])('have summaries of all that is done: %s', async (name) => {
    const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
    await expect(keepRuns(lab, `machine-${name}`, id)).resolves.toBeUndefined();
  });
});
