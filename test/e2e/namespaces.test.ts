import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hostPath } from '../../kube/paths.ts';
import { approvals, ERASE } from './support/approvals.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab, withoutSlot } from './support/fixture.ts';
import { apply, editHost, getHost, hostIn, hostThat, NAMESPACE } from './support/hosts.ts';
import { serveMachineApi, specFor } from './support/machine-api.ts';
import {
  aCluster,
  aMachine,
  aNode,
  create,
  expectToShow,
  get,
  on,
  ownedBy,
  PATIENCE,
  patch,
  remove,
} from './support/machines.ts';
import { deletedWithAll, type HeldBack } from './support/namespace-deletion.ts';
import { joinFixtureLab } from './support/place/join.ts';

/**
 * The namespace of this file is deleted, as `kubectl delete namespace` does it: its objects go in any order, machines
 * of the fixture and Secrets before their hosts, and nothing can be created in it any more.
 */

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({
    temperEnv: { FIXTURE_TIME_SCALE: '0.5', FIXTURE_PROVISIONING_LIMIT: '1', MACHINE_API: 'all' },
  });
  await serveMachineApi(lab);
});
afterAll(() => lab?.stop());

const FAILS = 'temper/fixture-fail';
const DETACHED = 'baremetalhost.metal3.io/detached';
const PAUSED = 'baremetalhost.metal3.io/paused';

type Spec = Parameters<typeof fixtureHost>[1];

/** A host with its Secret, in its last state, which needs no slot. */
async function aHost(name: string, state: string, spec: Spec = {}, annotations = {}, labels = {}): Promise<void> {
  const host = withoutSlot(fixtureHost(name, spec, annotations)) as { metadata: object };
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

const { annotate, approve, held, waitingFor } = approvals(() => lab);

/** Its undeployment needs an approval. */
async function guardedHost(name: string): Promise<void> {
  await aHost(name, 'provisioned', { image: IMAGE });
  await annotate(name, 'temper/approval=erase');
}

async function hostInQuarantine(name: string): Promise<void> {
  await aHost(name, 'available');
  await annotate(name, 'temper/quarantine=the fan is loud');
  await expect.poll(() => waitingFor(name), PATIENCE).toContain('in quarantine');
}

async function parkedHost(name: string): Promise<void> {
  await aHost(name, 'available');
  await editHost(lab, name, { image: IMAGE });
  await hostIn(lab, name, 'provisioning');
  await annotate(name, 'temper/abort=wrong image');
  await expect.poll(() => waitingFor(name), PATIENCE).toContain('parked by an abort');
}

/** A host that may not be provisioned yet, which may be deleted. */
async function hostToApprove(name: string): Promise<void> {
  await aHost(name, 'available', {}, ERASE);
  await editHost(lab, name, { image: IMAGE });
  await held(name, 'ApprovalNeeded');
}

const heldBackHosts = (): Promise<unknown> =>
  Promise.all([
    guardedHost('guarded'),
    hostInQuarantine('in-quarantine'),
    parkedHost('parked'),
    hostToApprove('to-approve'),
  ]);

const HELD_BACK: HeldBack = {
  hosts: ['guarded', 'in-quarantine', 'parked'],
  async letGo() {
    const { code } = await held('guarded', 'ApprovalNeeded');
    await approve('guarded', code);
    await annotate('in-quarantine', 'temper/quarantine-');
    await annotate('parked', 'temper/abort-');
  },
};

/** A host that keeps the only slot, because its deployment waits for a Secret, and hosts that wait for that slot. */
async function hostsInQueue(): Promise<void> {
  const aHostWithSlot = async (name: string, state: string, spec: Spec = {}): Promise<void> => {
    await apply(lab, fixtureSecret(name), fixtureHost(name, spec));
    await hostIn(lab, name, state);
  };
  await Promise.all([
    aHostWithSlot('queued-to-provision', 'available'),
    aHostWithSlot('queued-to-deprovision', 'provisioned', { image: IMAGE }),
  ]);
  await aHostWithSlot('with-the-slot', 'provisioning', { image: IMAGE, metaData: { name: 'nowhere' } });
  await Promise.all([
    apply(lab, fixtureSecret('queued-to-inspect'), fixtureHost('queued-to-inspect')),
    editHost(lab, 'queued-to-provision', { image: IMAGE }),
    editHost(lab, 'queued-to-deprovision', { image: null }),
  ]);
  const queued = ['queued-to-inspect', 'queued-to-provision', 'queued-to-deprovision'];
  await Promise.all(
    queued.map((name) => hostThat(lab, name, 'delayed', ({ status }) => status.operationalStatus === 'delayed')),
  );
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
    remediatedMachine('remediated'),
    aRunningMachine('to-leave'),
    aHostWithMachine('without-node').then(() => hostIn(lab, 'without-node', 'provisioned')),
    aHostWithMachine('with-data', { spec: { dataTemplate: { name: 'template' } } }).then(() =>
      expectToShow(lab, 'metal3Data', 'template-0', { status: { ready: true } }),
    ),
  ]);
};

/** Claims with and without an address, and the data of a machine with one. */
const settledAddresses = async (): Promise<unknown> => {
  const pool = (name: string, end: string): Promise<unknown> =>
    create(lab, 'ipPool', name, {
      spec: { namePrefix: name, prefix: 24, pools: [{ start: '192.0.2.1', end }] },
    });
  await Promise.all([pool('small', '192.0.2.1'), pool('wide', '192.0.2.9')]);
  await create(lab, 'ipClaim', 'first', { spec: { pool: { name: 'small' } } });
  await expectToShow(lab, 'ipClaim', 'first', { status: { address: { name: 'small-192-0-2-1' } } });
  await create(lab, 'ipClaim', 'second', { spec: { pool: { name: 'small' } } });
  await expectToShow(lab, 'ipClaim', 'second', { status: { errorMessage: 'Exhausted IP Pools' } });

  await create(lab, 'metal3DataTemplate', 'addressed', {
    spec: { clusterName: 'cluster', metaData: { ipAddressesFromPool: [{ key: 'address', name: 'wide' }] } },
  });
  await aHostWithMachine('with-addresses', { spec: { dataTemplate: { name: 'addressed' } } });
  await expectToShow(lab, 'metal3Data', 'addressed-0', { status: { ready: true } });
  return expectToShow(lab, 'ipAddress', 'wide-192-0-2-1', { spec: { pool: { name: 'wide' } } });
};

/** Machines of both groups of the Machine API with their hosts, and a MachineSet that has one for each of its hosts. */
const settledMachineApi = async (): Promise<unknown> => {
  const machineOn = async (kind: 'openShiftMachine' | 'clusterMachine', name: string): Promise<unknown> => {
    await aHost(name, 'available', {}, {}, { for: name });
    await create(lab, kind, name, { spec: specFor(name, { userData: {} }) });
    return hostIn(lab, name, 'provisioned');
  };
  const scaled = async (name: string): Promise<unknown> => {
    await aHost(name, 'available', {}, {}, { for: name });
    await create(lab, 'openShiftMachineSet', name, {
      metadata: { annotations: { 'metal3.io/autoscale-to-hosts': '' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { set: name } },
        template: { metadata: { labels: { set: name } }, spec: specFor(name, { userData: {} }) },
      },
    });
    return hostIn(lab, name, 'provisioned');
  };
  return Promise.all([
    machineOn('openShiftMachine', 'of-openshift'),
    machineOn('clusterMachine', 'of-cluster'),
    scaled('scaled'),
  ]);
};

/** Its host is switched off, or on again. */
async function remediatedMachine(name: string): Promise<unknown> {
  await aRunningMachine(name);
  await patch(lab, 'machine', name, { status: { nodeRef: { name: `namespaces-${name}` } } }, '/status');
  const owner = await get(lab, 'machine', name);
  await create(lab, 'metal3Remediation', name, {
    metadata: { ownerReferences: owner === undefined ? [] : [ownedBy('machine', owner)] },
    spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 3_600 } },
  });
  return expectToShow(lab, 'metal3Remediation', name, { status: { lastRemediated: expect.any(String) as unknown } });
}

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
  test('goes with hosts and machines in every state, with hosts that wait for a slot, with remediations and addresses, and waits for hosts that people hold back', async () => {
    await aCluster(lab, 'cluster');
    const machines = [settledMachines(), settledAddresses(), settledMachineApi()];
    await Promise.all([settledHosts(), heldBackHosts(), hostsInQueue(), ...machines]);
    await unsettled();
    await deletedWithAll(lab, HELD_BACK);
    expect(await getHost(lab, 'provisioned')).toBeUndefined();
  });
});
