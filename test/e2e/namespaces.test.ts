import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { apply, editHost, getHost, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { aCluster, aMachine, aNode, create, expectToShow, on, remove } from './support/machines.ts';
import { deletedWithAll } from './support/namespace-deletion.ts';
import { joinFixtureLab } from './support/place/join.ts';

/**
 * The namespace of this file is deleted, as `kubectl delete namespace` does it: its objects go in any order, machines
 * of the fixture and Secrets before their hosts, and nothing can be created in it any more.
 */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: { FIXTURE_TIME_SCALE: '0.5' } });
});
afterAll(() => lab?.stop());

const FAILS = 'temper/fixture-fail';
const DETACHED = 'baremetalhost.metal3.io/detached';
const PAUSED = 'baremetalhost.metal3.io/paused';

type Spec = Parameters<typeof fixtureHost>[1];

/** A host with its Secret, in its last state. */
async function aHost(name: string, state: string, spec: Spec = {}, annotations = {}, labels = {}): Promise<void> {
  const host = fixtureHost(name, spec, annotations) as { metadata: object };
  await apply(lab, fixtureSecret(name), { ...host, metadata: { ...host.metadata, labels } });
  await hostIn(lab, name, state);
}

/** A host on which something fails, in the state in which it is tried again. */
async function failingHost(name: string, fails: string, state: string, errorType: string, spec: Spec = {}) {
  await aHost(name, state, spec, { [FAILS]: fails });
  await hostThat(lab, name, errorType, ({ status }) => status.errorType === errorType);
}

/** A host that the machine of the same name selects, and that machine. */
async function aHostWithMachine(name: string, wish: { readonly spec?: object } = {}): Promise<void> {
  await aHost(name, 'available', {}, {}, { for: name });
  await aMachine(lab, 'cluster', name, { ...wish, spec: { ...on(name), ...wish.spec } });
}

async function aRunningMachine(name: string): Promise<void> {
  await aHostWithMachine(name);
  const { metadata } = await hostIn(lab, name, 'provisioned');
  await aNode(lab, `namespaces-${name}`, { 'metal3.io/uuid': metadata.uid });
  await expectToShow(lab, 'metal3Machine', name, { status: { initialization: { provisioned: true } } });
}

const deleteHost = (name: string): Promise<unknown> =>
  lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name }) });

/** Hosts in all states that last, and in some more for which nothing happens before something changes. */
const settledHosts = (): Promise<unknown> =>
  Promise.all([
    // Without the finalizer.
    apply(lab, fixtureSecret('new'), fixtureHost('new', {}, { [PAUSED]: '' })),
    apply(lab, {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name: 'unmanaged', namespace: NAMESPACE },
      spec: { online: false },
    }).then(() => hostIn(lab, 'unmanaged', 'unmanaged')),
    apply(lab, fixtureHost('no-secret')).then(() => hostIn(lab, 'no-secret', 'registering')),
    failingHost('registering', 'register', 'registering', 'registration error'),
    failingHost('inspecting', 'inspect', 'inspecting', 'inspection error'),
    failingHost('preparing', 'prepare', 'preparing', 'preparation error', {
      raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: true }] },
    }),
    failingHost('switching', 'power', 'available', 'power management error'),
    aHost('available', 'available'),
    aHost('switched-off', 'available', { online: false }),
    aHost('externally', 'externally provisioned', { externallyProvisioned: true }),
    aHost('provisioned', 'provisioned', { image: IMAGE }),
    aHost('to-deprovision', 'provisioned', { image: IMAGE }),
    aHost('to-delete', 'provisioned', { image: IMAGE }),
    aHost('to-provision', 'available'),
    aHost('detached', 'available', {}, { [DETACHED]: '' }).then(() =>
      hostThat(lab, 'detached', 'detached', ({ status }) => status.operationalStatus === 'detached'),
    ),
  ]);

const settledMachines = async (): Promise<unknown> => {
  await create(lab, 'metal3DataTemplate', 'template', {
    spec: { clusterName: 'cluster', metaData: { objectNames: [{ key: 'name', object: 'machine' }] } },
  });
  return Promise.all([
    aMachine(lab, 'cluster', 'no-host', { spec: on('nowhere') }).then(() =>
      expectToShow(lab, 'metal3Machine', 'no-host', { status: { conditions: expect.anything() as unknown } }),
    ),
    aRunningMachine('running'),
    aRunningMachine('to-leave'),
    aHostWithMachine('without-node').then(() => hostIn(lab, 'without-node', 'provisioned')),
    aHostWithMachine('with-data', { spec: { dataTemplate: { name: 'template' } } }).then(() =>
      expectToShow(lab, 'metal3Data', 'template-0', { status: { ready: true } }),
    ),
  ]);
};

/** Each is in the middle of something when the namespace is deleted. */
const unsettled = (): Promise<unknown> =>
  Promise.all([
    editHost(lab, 'to-provision', { image: IMAGE }).then(() => hostIn(lab, 'to-provision', 'provisioning')),
    editHost(lab, 'to-deprovision', { image: null }).then(() => hostIn(lab, 'to-deprovision', 'deprovisioning')),
    deleteHost('to-delete').then(() => hostIn(lab, 'to-delete', 'deprovisioning')),
    remove(lab, 'metal3Machine', 'to-leave').then(() => hostIn(lab, 'to-leave', 'deprovisioning')),
    aHost('just-inspecting', 'inspecting'),
    deleteHost('switched-off'),
  ]);

describe('a namespace that is deleted', () => {
  test('goes with hosts and machines in every state', async () => {
    await aCluster(lab, 'cluster');
    await Promise.all([settledHosts(), settledMachines()]);
    await unsettled();
    await deletedWithAll(lab);
    expect(await getHost(lab, 'provisioned')).toBeUndefined();
  });
});
