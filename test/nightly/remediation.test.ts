import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entityWorkflowId } from '../../workflows/messages.ts';
import {
  type ClusterRecord,
  clusterManifests,
  openWorkload,
  recordClusters,
  runningWorkers,
  type Workload,
} from '../e2e/support/cluster.ts';
import { keepRuns } from '../e2e/support/histories.ts';
import { apply, createHost, getHost, hostIn, kubectl, NAMESPACE } from '../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { conditionOf, expectGone, get, PATIENCE } from '../e2e/support/machines.ts';
import { letFail, machineOf, powerOf } from '../e2e/support/metal.ts';
import { requestsRecorded } from '../e2e/support/recorded.ts';

/**
 * Machines die under their Nodes: Cluster API's own MachineHealthCheck replaces them on other hosts; with a template it
 * creates Metal3Remediations for them first.
 */
const CLUSTER = 'test1';
const HOSTS = [0, 1, 2, 3] as const;
const UNHEALTHY = 'capm3.metal3.io/unhealthy';
const TEMPLATE = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'Metal3RemediationTemplate',
  metadata: { name: CLUSTER, namespace: NAMESPACE },
  spec: { template: { spec: { strategy: { type: 'Reboot', retryLimit: 1, timeoutSeconds: 100 } } } },
};
const HEALTH_CHECK = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: CLUSTER, namespace: NAMESPACE },
  spec: {
    clusterName: CLUSTER,
    selector: { matchLabels: { 'cluster.x-k8s.io/deployment-name': CLUSTER } },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 5 }] },
  },
};
const BY_TEMPLATE = {
  spec: { remediation: { templateRef: { apiVersion: TEMPLATE.apiVersion, kind: TEMPLATE.kind, name: CLUSTER } } },
};

let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;
interface Worker {
  readonly machine: string;
  readonly host: string;
  /** The number of its lab machine. */
  readonly index: number;
}
/** The worker that dies. */
let sick: Worker;
let well: string;

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS.length, clusterApi: true });
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
  const [first = '', ...others] = hosts;
  await kubectl(lab, ['label', 'bmh', first, 'role=control-plane']);
  await kubectl(lab, ['label', 'bmh', ...others, 'role=worker']);
  await apply(lab, ...(await clusterManifests(lab, CLUSTER, { workers: 2, presetIds: true })), TEMPLATE, HEALTH_CHECK);
  workload = await openWorkload(record, CLUSTER);
  const [machine = '', other = ''] = await runningWorkers(lab, CLUSTER, 2);
  sick = await workerOf(machine);
  well = other;
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
});

describe('a machine whose kubelet was started with a providerID', () => {
  test('is known by that, and never given another one', async () => {
    for (const machine of [sick.machine, well]) {
      const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: machine } } });
      const ids = workload.record.looks('Node', machine).map(({ object }) => object.spec.providerID);
      expect(new Set(ids)).toEqual(new Set([`metal3://${NAMESPACE}/${host}/${machine}`]));
      await record.first('Metal3Machine', { spec: { providerID: ids[0] } }, machine);
    }
  });
});

describe('a machine whose system dies', () => {
  test('is found unhealthy by Cluster API and, without a template, replaced on another host', async () => {
    await kubectl(lab, ['annotate', 'bmh', sick.host, `${UNHEALTHY}=`]);
    await letFail(lab, sick.index, { kind: 'dead-system' });
    const lost = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await workload.record.first('Node', lost, sick.machine);
    const found = { status: { conditions: [{ type: 'HealthCheckSucceeded', status: 'False' }] } };
    const unhealthy = await record.first('Machine', found, sick.machine);
    const gone = await record.gone('Machine', sick.machine);
    expect(gone.revision).toBeGreaterThan(unhealthy.revision);
    await workload.record.gone('Node', sick.machine);

    const fresh = await replacement();
    expect(fresh.host).not.toBe(sick.host);
    await keepRuns(lab, 'remediated', entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: sick.machine }));
    // From now on the new machine is the one that dies.
    await letFail(lab, sick.index);
    await hostIn(lab, sick.host, 'available');
    await kubectl(lab, ['annotate', 'bmh', sick.host, `${UNHEALTHY}-`]);
    sick = fresh;
  });

  test('is rebooted once where there is a template, although bridge and workers are killed while it is off, and comes back as the same Node on the same host', async () => {
    await kubectl(lab, ['patch', 'machinehealthcheck', CLUSTER, '--type=merge', '-p', JSON.stringify(BY_TEMPLATE)]);
    const { machine, host, index } = sick;
    const before = await switched();
    const { writes } = (await machineOf(lab, index)).disk;
    await letFail(lab, index, { kind: 'dead-system', times: 1 });
    await expect.poll(async () => (await getHost(lab, host))?.status.poweredOn, PATIENCE).toBe(false);
    await Promise.all([lab.kill('bridge', 'SIGKILL'), lab.kill('workers', 'SIGKILL')]);
    await Promise.all([lab.start('bridge'), lab.start('workers')]);
    await expectGone(lab, 'metal3Remediation', machine);
    await workload.record.first('Node', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, machine);
    expect(await runningWorkers(lab, CLUSTER, 2)).toEqual(expect.arrayContaining([machine, well]));
    expect((await switched()) - before).toBe(2);
    expect((await machineOf(lab, index)).disk.writes).toBe(writes);
    const { spec, metadata } = await hostIn(lab, host, 'provisioned');
    expect(spec).toMatchObject({ online: true, consumerRef: { name: machine } });
    expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('reboot.metal3.io'))).toEqual([]);
    await keepRuns(lab, 'health-check', entityWorkflowId('Metal3Remediation', { namespace: NAMESPACE, name: machine }));
  });

  test('for good is replaced after the retries, on another host', async () => {
    const before = await switched();
    await letFail(lab, sick.index, { kind: 'dead-system' });
    await expect
      .poll(async () => (await get(lab, 'metal3Remediation', sick.machine))?.status['phase'], PATIENCE)
      .toBe('Deleting machine');
    // The first attempt and one retry, off and on each.
    expect((await switched()) - before).toBe(4);
    await record.gone('Machine', sick.machine);
    expect((await replacement()).host).not.toBe(sick.host);
    expect((await getHost(lab, sick.host))?.metadata.annotations).toHaveProperty([UNHEALTHY]);
  });

  test('leaves its host clean, and no machine takes that while it is marked unhealthy', async () => {
    const { spec } = await hostIn(lab, sick.host, 'available');
    expect(spec).not.toHaveProperty('consumerRef');
    expect((await machineOf(lab, sick.index)).disk).toMatchObject({ image: null, writes: 1, erasures: 2 });
    await expect.poll(() => powerOf(lab, sick.index), PATIENCE).toBe('Off');

    await letFail(lab, sick.index);
    const known = new Set(await workers());
    await kubectl(lab, ['scale', 'machinedeployment', CLUSTER, '--replicas=3']);
    await expect.poll(workers, PATIENCE).toHaveLength(3);
    const [waiting = ''] = (await workers()).filter((name) => !known.has(name));
    await expect
      .poll(() => conditionOf(lab, 'metal3Machine', waiting, 'AssociateBareMetalHost'), PATIENCE)
      .toContain("no available host found. 4 hosts: 2 taken, 1 don't match hostSelector, 1 unhealthy");
  });

  test('is trusted again without that mark', async () => {
    await kubectl(lab, ['annotate', 'bmh', sick.host, `${UNHEALTHY}-`]);
    await runningWorkers(lab, CLUSTER, 3);
    expect(await getHost(lab, sick.host)).toMatchObject({ status: { provisioning: { state: 'provisioned' } } });
    expect((await machineOf(lab, sick.index)).disk).toMatchObject({ writes: 2 });
  });
});

describe('a machine that is deleted while its host is deployed', () => {
  test('gives it back wiped, having never been a Node', async () => {
    const before = await runningWorkers(lab, CLUSTER, 3);
    await kubectl(lab, ['scale', 'machinedeployment', CLUSTER, '--replicas=2']);
    const kept = await runningWorkers(lab, CLUSTER, 2);
    const [given = ''] = before.filter((name) => !kept.includes(name));
    const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: given } } });
    await hostIn(lab, host, 'available');
    await letFail(lab, Number(host.split('-')[1]), {
      kind: 'slow-step',
      step: 'write_image',
      milliseconds: 60_000,
      times: 1,
    });

    const known = new Set(record.looks('Metal3Machine').map(({ name }) => name));
    await kubectl(lab, ['scale', 'machinedeployment', CLUSTER, '--replicas=3']);
    const { name: hasty } = await record.first('Metal3Machine', ({ metadata }) => !known.has(metadata.name));
    await record.first('BareMetalHost', {
      spec: { consumerRef: { name: hasty } },
      status: { provisioning: { state: 'provisioning' } },
    });
    await kubectl(lab, ['delete', 'machines.v1beta2.cluster.x-k8s.io', hasty, '--wait=false']);
    await record.gone('Metal3Machine', hasty);
    const replaced = await runningWorkers(lab, CLUSTER, 3);
    expect(replaced).toEqual(expect.arrayContaining([...kept]));
    expect(replaced).not.toContain(hasty);
    expect(workload.record.looks('Node').map(({ name }) => name)).not.toContain(hasty);
    const states = record
      .looks('BareMetalHost', host)
      .filter(({ object }) => object.spec.consumerRef?.name === hasty)
      .map(({ object }) => object.status.provisioning?.state);
    expect(states).not.toContain('provisioned');
    expect(states).toContain('deprovisioning');
  });
});

describe('a machine whose host is deleted', () => {
  test('is reported as missing, replaced by Cluster API, and runs again when the host is created again', async () => {
    const [lost = ''] = await runningWorkers(lab, CLUSTER, 3);
    const { name: host } = await record.first('BareMetalHost', {
      spec: { consumerRef: { name: lost } },
      status: { provisioning: { state: 'provisioned' } },
    });
    const index = Number(host.split('-')[1]);
    await kubectl(lab, ['delete', 'bmh', host, '--timeout=600s']);
    expect((await machineOf(lab, index)).disk).toMatchObject({ image: null });
    await record.first(
      'Metal3Machine',
      ({ status }) =>
        status.conditions.some(({ message }) => message.includes(`BareMetalHost not found for machine ${lost}`)),
      lost,
    );
    await record.gone('Machine', lost);
    await workload.record.gone('Node', lost);

    await createHost(lab, index);
    await kubectl(lab, ['label', 'bmh', host, 'role=worker']);
    expect(await runningWorkers(lab, CLUSTER, 3)).not.toContain(lost);
    await hostIn(lab, host, 'provisioned');
  });
});

const workers = async (): Promise<readonly string[]> => {
  const names = 'jsonpath={.items[*].metadata.name}';
  return (await kubectl(lab, ['get', 'm3m', '-l', 'cluster.x-k8s.io/deployment-name', '-o', names])).split(' ');
};

async function workerOf(machine: string): Promise<Worker> {
  const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: machine } } });
  return { machine, host, index: Number(host.split('-')[1]) };
}

/** The worker that was made for the one that died. */
async function replacement(): Promise<Worker> {
  const running = await runningWorkers(lab, CLUSTER, 2);
  expect(running).toContain(well);
  const [fresh = ''] = running.filter((name) => name !== well);
  expect(fresh).not.toBe(sick.machine);
  return workerOf(fresh);
}

/** Power requests to Ironic for the host of the worker that dies. */
async function switched(): Promise<number> {
  const node = (await getHost(lab, sick.host))?.status.provisioning.ID;
  return (await requestsRecorded(lab)).filter((one) => one.kind === 'power' && one.node === node).length;
}
