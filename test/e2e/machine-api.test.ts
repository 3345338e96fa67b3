import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { approvals, ERASE } from './support/approvals.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns } from './support/histories.ts';
import { apply, getHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import {
  addressOf,
  aFreeHostOfItsAddress,
  consumerNamed,
  expectNodeGone,
  findNode,
  IMAGE,
  joinMachineApiLab,
  KEPT_OFF,
  killBoth,
  killBothAtNight,
  OPENSHIFT,
  REQUESTED,
  registerNode,
  specFor,
} from './support/machine-api.ts';
import { create, expectGone, expectToShow, get, PATIENCE, patch, remove } from './support/machines.ts';
import { steered } from './support/steering.ts';
import { blockOf, createShell } from './support/versions/procedure.ts';

/** Machines of the Machine API on hosts of the fixture; the test is their kubelet. */

const PAGE = 'docs/machine-api.md';
const record = recordCommands('test/e2e/machine-api.test.ts');
let lab: TestFixtureLab;
let folder: string;
let run: (commands: string, variables?: Readonly<Record<string, string>>) => Promise<string>;
const { approve, held } = approvals(() => lab);
beforeAll(async () => {
  lab = await joinMachineApiLab({
    MACHINE_API: 'all',
    MACHINE_API_IMAGE_URL: IMAGE.url,
    MACHINE_API_IMAGE_CHECKSUM: IMAGE.checksum,
    MACHINE_API_USER_DATA: 'default-user-data',
  });
  folder = await mkdtemp(join(tmpdir(), 'temper-machine-api-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, variables = {}) => shell(commands, variables);
});
afterAll(async () => {
  await lab?.stop();
  await rm(folder, { recursive: true });
});

const MACHINE = 'Machine.machine.openshift.io';
const machines = steered(() => lab, MACHINE);
const hosts = steered(() => lab, 'BareMetalHost');
const workflowOf = (kind: string, name: string): string => entityWorkflowId(kind, { namespace: NAMESPACE, name });

describe('a Machine of OpenShift', () => {
  test('becomes a Node and leaves its host free again, whatever dies meanwhile', async () => {
    const { metadata: host } = await aFreeHostOfItsAddress(lab, 'ma-story');
    await apply(lab, secret('ma-story-user-data', { userData: '{"ignition":{}}' }));
    const lifecycleHooks = { preDrain: [{ name: 'test', owner: 'me' }] };
    const taint = { key: 'example.com/infra', effect: 'NoSchedule' };
    const ofNode = { metadata: { labels: { 'example.com/rack': '7' } }, taints: [taint] };
    await create(lab, 'openShiftMachine', 'ma-story', {
      spec: { ...specFor('ma-story'), lifecycleHooks, ...ofNode },
    });
    await expectToShow(lab, 'host', 'ma-story', { spec: { consumerRef: consumerNamed('ma-story', OPENSHIFT) } });
    await killBoth(lab);

    await hostIn(lab, 'ma-story', 'provisioned');
    expect(await getHost(lab, 'ma-story')).toMatchObject({
      spec: { image: IMAGE, userData: { name: 'ma-story-user-data', namespace: NAMESPACE }, online: true },
    });
    const providerID = `baremetalhost:///${NAMESPACE}/ma-story/${host.uid}`;
    const machine = await expectToShow(lab, 'openShiftMachine', 'ma-story', {
      metadata: {
        finalizers: ['machine.machine.openshift.io'],
        annotations: {
          'metal3.io/BareMetalHost': `${NAMESPACE}/ma-story`,
          'machine.openshift.io/instance-state': 'provisioned',
        },
      },
      spec: { providerID },
      status: { phase: 'Provisioned', lastUpdated: expect.any(String) as unknown },
    });

    const node = await registerNode(lab, 'ma-story', addressOf(machine));
    const nodeRef = { kind: 'Node', name: 'ma-story', uid: node.metadata.uid };
    await expectToShow(lab, 'openShiftMachine', 'ma-story', { status: { phase: 'Running', nodeRef } });
    await expect
      .poll(() => findNode(lab, 'ma-story'), PATIENCE)
      .toMatchObject({
        spec: { providerID, taints: expect.arrayContaining([taint]) as unknown },
        metadata: {
          annotations: { 'machine.openshift.io/machine': `${NAMESPACE}/ma-story` },
          labels: { 'example.com/rack': '7' },
        },
      });
    const columns = await kubectl(lab, ['get', 'machines.machine.openshift.io', 'ma-story', '-o', 'wide']);
    expect(columns.split(/\s{2,}|\n/).slice(0, 8)).toEqual([
      'NAME',
      'PHASE',
      'TYPE',
      'REGION',
      'ZONE',
      'AGE',
      'NODE',
      'PROVIDERID',
    ]);

    await remove(lab, 'openShiftMachine', 'ma-story');
    await expectToShow(lab, 'openShiftMachine', 'ma-story', { status: { phase: 'Deleting' } });
    expect((await getHost(lab, 'ma-story'))?.spec).toMatchObject({ image: IMAGE });
    await patch(lab, 'openShiftMachine', 'ma-story', { spec: { lifecycleHooks: null } });
    await hostIn(lab, 'ma-story', 'deprovisioning');
    await killBothAtNight(lab);
    await expectGone(lab, 'openShiftMachine', 'ma-story');
    await hostIn(lab, 'ma-story', 'available');
    const { spec } = (await getHost(lab, 'ma-story')) ?? { spec: {} };
    for (const field of ['consumerRef', 'image', 'userData']) expect(spec).not.toHaveProperty(field);
    await expectNodeGone(lab, 'ma-story');
    await keepRuns(lab, 'machine-api', workflowOf(MACHINE, 'ma-story'));
  });

  test('never shares its host: who comes too late waits until one is free', async ({ skip }) => {
    atNight(skip, 'domain/machine-api/any-order.test.ts');
    await aFreeHostOfItsAddress(lab, 'shared');
    const names = ['first', 'second', 'third'];
    for (const name of names)
      await create(lab, 'openShiftMachine', name, { spec: specFor('shared', { userData: {} }) });
    await hostIn(lab, 'shared', 'provisioned');
    const shared = await expectToShow(lab, 'host', 'shared', { spec: { consumerRef: { kind: 'Machine' } } });
    const { name: owner } = shared.spec['consumerRef'] as { readonly name: string };
    const others = names.filter((name) => name !== owner);
    for (const name of others) {
      const message = expect.stringContaining('no available host found') as unknown;
      await expectToShow(lab, 'openShiftMachine', name, {
        status: { phase: 'Provisioning', conditions: [{ type: 'AssociateBareMetalHost', status: 'False', message }] },
      });
    }
    await remove(lab, 'openShiftMachine', owner);
    await expectGone(lab, 'openShiftMachine', owner);
    await expect
      .poll(async () => (await getHost(lab, 'shared'))?.spec['consumerRef'], PATIENCE)
      .toMatchObject({ name: expect.stringMatching(others.join('|')) as unknown });
    for (const name of others) await remove(lab, 'openShiftMachine', name);
    for (const name of others) await expectGone(lab, 'openShiftMachine', name);
  });

  test('has its host stop for what it asks for, before it is deployed and before it is given back', async ({
    skip,
  }) => {
    atNight(skip, 'k8s-bridge/bindings/baremetalhost/inherit.test.ts');
    await aFreeHostOfItsAddress(lab, 'ma-asking');
    await create(lab, 'openShiftMachine', 'ma-asking', {
      metadata: { annotations: ERASE },
      spec: specFor('ma-asking', { userData: {} }),
    });
    const first = await held('ma-asking', 'ApprovalNeeded');
    expect(first.message).toContain(`asked for by ${MACHINE} ${NAMESPACE}/ma-asking`);
    await approve('ma-asking', first.code);
    await hostIn(lab, 'ma-asking', 'provisioned');

    await remove(lab, 'openShiftMachine', 'ma-asking');
    const second = await held('ma-asking', 'ApprovalNeeded', first.code);
    await approve('ma-asking', second.code);
    await expectGone(lab, 'openShiftMachine', 'ma-asking');
    await expect
      .poll(async () => (await getHost(lab, 'ma-asking'))?.metadata.annotations, PATIENCE)
      .not.toHaveProperty(['temper/approval-inherited']);
  });

  test('is steered: its host does what it is asked for, and a refusal says what to do instead', async () => {
    const [name, host] = ['ma-steered', 'ma-steered-host'];
    await aFreeHostOfItsAddress(lab, host);
    await create(lab, 'openShiftMachine', name, { spec: specFor(host, { userData: {} }) });
    await hostIn(lab, host, 'provisioned');
    const commands = await blockOf(PAGE, 'npx temper quarantine machine $machine');
    const printed = await run(commands, { namespace: NAMESPACE, machine: name });
    expect(printed).toContain(`quarantine ${NAMESPACE}/${host} by ada for machine ${name}: the fan is loud`);
    expect(printed).toContain('release by ada: new fan');
    expect(await hosts.told(host)).toEqual([`quarantine ada for machine ${name}`, `release ada for machine ${name}`]);
    const event = 'Quarantined: quarantine by ada: the fan is loud';
    await expect.poll(() => machines.eventsOf(name)).toContain(event);
    await expect.poll(() => machines.detailsOf(name)).toContain('Last message: release by ada: new fan');

    const noPause = `Machines of the Machine API have no pause: pause its host ${host}`;
    expect(await machines.refusal(name, 'pause')).toBe(`pause ${name}: ${noPause}`);
    expect(await machines.refusal(name, 'release')).toContain(`host ${host} refuses it: it is not in quarantine`);
    expect(await machines.told(name)).toEqual(['quarantine ada', 'release ada']);

    const signal = `temporal workflow signal --workflow-id ${workflowOf(MACHINE, name)} --name power`;
    await run(`${signal} --input '{"by":"ada","reason":"the fan is loud","to":"off"}'`);
    await expect.poll(async () => (await machines.told(name)).at(-1)).toBe('power off ada');
    await expect.poll(async () => (await getHost(lab, host))?.status.poweredOn, PATIENCE).toBe(false);
    await keepRuns(lab, 'machine-api-steered', workflowOf(MACHINE, name), ({ status }) => status === 'RUNNING');
  });

  test('without a host searches again when it is told to, also by its labels', async () => {
    const metadata = { labels: { waits: 'yes' } };
    await create(lab, 'openShiftMachine', 'ma-waiting', { metadata, spec: specFor('nobody', { userData: {} }) });
    await expect.poll(() => machines.waitingFor('ma-waiting')).toContain('waiting for a host');
    const retry = 'npx temper retry machine -n $namespace -l waits=yes --by ada --reason again';
    expect(await run(retry, { namespace: NAMESPACE })).toContain(`retry ${NAMESPACE}/ma-waiting by ada: again`);
    await expect.poll(() => machines.annotationsOf('ma-waiting')).not.toHaveProperty(['temper/retry']);
    expect(await machines.told('ma-waiting')).toEqual(['retry ada']);
  });

  test('says what is wrong with its spec, and goes on when that is corrected', async () => {
    await aFreeHostOfItsAddress(lab, 'wrong');
    await create(lab, 'openShiftMachine', 'wrong', { spec: specFor('wrong', { imagee: {} }) });
    await expectToShow(lab, 'openShiftMachine', 'wrong', {
      status: { errorReason: 'InvalidConfiguration', errorMessage: 'ProviderSpec: unknown field imagee' },
    });
    const spec = { providerSpec: { value: { imagee: null, userData: null } } };
    await patch(lab, 'openShiftMachine', 'wrong', { spec });
    await hostIn(lab, 'wrong', 'provisioned');
    const { status } = await expectToShow(lab, 'openShiftMachine', 'wrong', { status: { phase: 'Provisioned' } });
    expect(status).not.toHaveProperty('errorReason');
    await remove(lab, 'openShiftMachine', 'wrong');
    await expectGone(lab, 'openShiftMachine', 'wrong');
  });
});

test('a Machine that is moved to Cluster API is left alone until the Machine API is in charge of it', async ({
  skip,
}) => {
  atNight(skip, 'domain/machine-api/authority.test.ts');
  await aFreeHostOfItsAddress(lab, 'ma-moved');
  await create(lab, 'openShiftMachine', 'ma-moved', {
    spec: { ...specFor('ma-moved', { userData: {} }), authoritativeAPI: 'ClusterAPI' },
  });
  const left = await expectToShow(lab, 'openShiftMachine', 'ma-moved', {
    status: {
      authoritativeAPI: 'ClusterAPI',
      conditions: [{ type: 'Paused', status: 'True', reason: 'AuthoritativeAPINotMachineAPI' }],
    },
  });
  expect(left.metadata.finalizers).toEqual([]);
  expect(left.status).not.toHaveProperty('phase');
  expect((await getHost(lab, 'ma-moved'))?.spec).not.toHaveProperty('consumerRef');
  // As the controller that moves it back.
  const say = (authoritativeAPI: string): Promise<unknown> =>
    patch(lab, 'openShiftMachine', 'ma-moved', { status: { authoritativeAPI } }, '/status');
  await say('Migrating');
  await say('MachineAPI');
  await expectToShow(lab, 'host', 'ma-moved', { spec: { consumerRef: consumerNamed('ma-moved', OPENSHIFT) } });
  await expectToShow(lab, 'openShiftMachine', 'ma-moved', {
    status: {
      authoritativeAPI: 'MachineAPI',
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Paused', status: 'False' })]) as unknown,
    },
  });
  await remove(lab, 'openShiftMachine', 'ma-moved');
  await expectGone(lab, 'openShiftMachine', 'ma-moved');
});

describe('the Machines of the first documents', () => {
  test('are created by kubectl, and get hosts by their selectors, image and user data by the configuration', async () => {
    await apply(lab, secret('default-user-data', { userData: '{"ignition":{}}' }));
    for (const profile of ['master', 'node'])
      await aFreeHostOfItsAddress(lab, profile, { labels: { 'node-profile': profile } });
    const printed = await run(await blockOf(PAGE, 'kubectl create -f examples/machine-api-2019.yaml'));
    const names = [...printed.matchAll(/^machine\.cluster\.k8s\.io\/(\S+) created$/gm)].map(([, name = '']) => name);
    expect(names.map((name) => name.replace(/-[^-]+$/, '-'))).toEqual(['baremetal-master-', 'baremetal-node-']);
    for (const [at, profile] of ['master', 'node'].entries()) {
      await hostIn(lab, profile, 'provisioned');
      expect((await getHost(lab, profile))?.spec).toMatchObject({
        image: IMAGE,
        userData: { name: 'default-user-data', namespace: NAMESPACE },
        consumerRef: consumerNamed(names[at] ?? '', 'cluster.k8s.io/v1alpha1'),
      });
      await expectToShow(lab, 'clusterMachine', names[at] ?? '', {
        metadata: { annotations: { 'metal3.io/BareMetalHost': `${NAMESPACE}/${profile}` } },
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({
              type: 'AssociateBareMetalHost',
              status: 'True',
              reason: 'AssociateBareMetalHostSuccess',
            }),
          ]) as unknown,
        },
      });
    }
    const [master = ''] = names;
    const ofThisApi = steered(() => lab, 'Machine.cluster.k8s.io');
    expect(await ofThisApi.send(master, 'quarantine')).toContain(`/master by ada for machine ${master}`);
    await ofThisApi.send(master, 'release');
    expect(await ofThisApi.told(master)).toEqual(['quarantine ada', 'release ada']);

    // A MachineHealthCheck writes it; in this API it asks for nothing.
    for (const each of names)
      await patch(lab, 'clusterMachine', each, { metadata: { annotations: { [REQUESTED]: '' } } });

    const columns = printed.split('\n').find((line) => line.startsWith('NAMESPACE'));
    expect(columns?.split(/\s+/)).toEqual(['NAMESPACE', 'NAME', 'INSTANCE', 'STATE', 'TYPE', 'REGION', 'ZONE', 'AGE']);

    await registerNode(lab, 'linked-by-hand', '10.1.2.3');
    const link = await blockOf(PAGE, 'scripts/link-machine-and-node.sh');
    await run(link, { machine: master, node: 'linked-by-hand' });
    await expect
      .poll(() => findNode(lab, 'linked-by-hand'), PATIENCE)
      .toMatchObject({ metadata: { annotations: { 'cluster.k8s.io/machine': `${NAMESPACE}/${master}` } } });
    const name = await kubectl(lab, [
      'get',
      'machines.cluster.k8s.io',
      master,
      '-o',
      'jsonpath={.status.nodeRef.name}',
    ]);
    expect(name).toBe('linked-by-hand');

    // Without the script: by the address of the host.
    const [, node = ''] = names;
    await registerNode(lab, 'found-by-address', addressOf((await get(lab, 'clusterMachine', node)) ?? { status: {} }));
    await expectToShow(lab, 'clusterMachine', node, { status: { nodeRef: { name: 'found-by-address' } } });

    // A remediation goes before the link with a Node, which both have by now.
    for (const profile of ['master', 'node']) {
      const { status, metadata } = await hostIn(lab, profile, 'provisioned');
      expect(status.poweredOn).toBe(true);
      expect(metadata.annotations).not.toHaveProperty([KEPT_OFF]);
    }

    for (const each of names) await remove(lab, 'clusterMachine', each);
    for (const each of names) await expectGone(lab, 'clusterMachine', each);
    for (const each of ['linked-by-hand', 'found-by-address']) await expectNodeGone(lab, each);
    await keepRuns(lab, 'machine-api-2019', workflowOf('Machine.cluster.k8s.io', master));
    expect(await get(lab, 'clusterMachine', master)).toBeUndefined();
  });
});
