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
import { conditionOf, PATIENCE } from '../e2e/support/machines.ts';
import { letFail, machineOf, powerOf } from '../e2e/support/metal.ts';

/** A machine dies under its Node: Cluster API's MachineHealthCheck replaces it on another host. */
const CLUSTER = 'test1';
const HOSTS = [0, 1, 2, 3] as const;
const UNHEALTHY = 'capm3.metal3.io/unhealthy';

let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;
/** The worker that dies, its host, and the number of its lab machine. */
let sick: { readonly machine: string; readonly host: string; readonly index: number };
let well: string;

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS.length, clusterApi: true });
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((index) => createHost(lab, index)));
  await Promise.all(hosts.map((host) => hostIn(lab, host, 'available')));
  const [first = '', ...others] = hosts;
  await kubectl(lab, ['label', 'bmh', first, 'role=control-plane']);
  await kubectl(lab, ['label', 'bmh', ...others, 'role=worker']);
  await apply(lab, ...(await clusterManifests(lab, CLUSTER, { workers: 2, presetIds: true })), {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineHealthCheck',
    metadata: { name: CLUSTER, namespace: NAMESPACE },
    spec: {
      clusterName: CLUSTER,
      selector: { matchLabels: { 'cluster.x-k8s.io/deployment-name': CLUSTER } },
      checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 5 }] },
    },
  });
  workload = await openWorkload(record, CLUSTER);
  const [machine = '', other = ''] = await runningWorkers(lab, CLUSTER, 2);
  const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: machine } } });
  sick = { machine, host, index: Number(host.split('-')[1]) };
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
  test('is found unhealthy by Cluster API and replaced on another host', async () => {
    await kubectl(lab, ['annotate', 'bmh', sick.host, `${UNHEALTHY}=`]);
    await letFail(lab, sick.index, { kind: 'dead-system' });
    const lost = { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } };
    await workload.record.first('Node', lost, sick.machine);
    const found = { status: { conditions: [{ type: 'HealthCheckSucceeded', status: 'False' }] } };
    const unhealthy = await record.first('Machine', found, sick.machine);
    const gone = await record.gone('Machine', sick.machine);
    expect(gone.revision).toBeGreaterThan(unhealthy.revision);
    await workload.record.gone('Node', sick.machine);

    const running = await runningWorkers(lab, CLUSTER, 2);
    expect(running).toContain(well);
    const [fresh = ''] = running.filter((name) => name !== well);
    const { name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: fresh } } });
    expect(host).not.toBe(sick.host);
    await keepRuns(lab, 'remediated', entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: sick.machine }));
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
