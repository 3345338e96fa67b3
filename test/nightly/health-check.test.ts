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
import { expectGone, get, PATIENCE } from '../e2e/support/machines.ts';
import { letFail, machineOf } from '../e2e/support/metal.ts';
import { requestsRecorded } from '../e2e/support/recorded.ts';

/** Cluster API's own MachineHealthCheck creates Metal3Remediations for machines whose systems die. */
const CLUSTER = 'test1';
const HOSTS = [0, 1, 2] as const;
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
    remediation: {
      templateRef: { apiVersion: TEMPLATE.apiVersion, kind: TEMPLATE.kind, name: CLUSTER },
    },
  },
};

let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;
let machine: string;
let host: string;
let index: number;

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS.length, clusterApi: true });
  record = recordClusters(lab);
  const hosts = await Promise.all(HOSTS.map((number) => createHost(lab, number)));
  await Promise.all(hosts.map((name) => hostIn(lab, name, 'available')));
  const [first = '', ...others] = hosts;
  await kubectl(lab, ['label', 'bmh', first, 'role=control-plane']);
  await kubectl(lab, ['label', 'bmh', ...others, 'role=worker']);
  await apply(lab, ...(await clusterManifests(lab, CLUSTER, { workers: 1, presetIds: true })), TEMPLATE, HEALTH_CHECK);
  workload = await openWorkload(record, CLUSTER);
  [machine = ''] = await runningWorkers(lab, CLUSTER, 1);
  ({ name: host } = await record.first('BareMetalHost', { spec: { consumerRef: { name: machine } } }));
  index = Number(host.split('-')[1]);
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
});

const READY = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const phaseOf = async (): Promise<unknown> => (await get(lab, 'metal3Remediation', machine))?.status['phase'];
const isPowered = async (): Promise<boolean | undefined> => (await getHost(lab, host))?.status.poweredOn;
/** Power requests to Ironic for the host. */
async function switched(): Promise<number> {
  const node = (await getHost(lab, host))?.status.provisioning.ID;
  return (await requestsRecorded(lab)).filter((one) => one.kind === 'power' && one.node === node).length;
}

describe('a machine whose system dies', () => {
  test('is rebooted once, and comes back as the same Node on the same host', async () => {
    const before = await switched();
    const writes = (await machineOf(lab, index)).disk.writes;
    await letFail(lab, index, { kind: 'dead-system' });
    await expect.poll(isPowered, PATIENCE).toBe(false);
    // It was the only time: the next start is good.
    await letFail(lab, index);
    await expectGone(lab, 'metal3Remediation', machine);
    await workload.record.first('Node', READY, machine);
    expect(await runningWorkers(lab, CLUSTER, 1)).toEqual([machine]);
    expect((await switched()) - before).toBe(2);
    expect((await machineOf(lab, index)).disk.writes).toBe(writes);
    const { spec, metadata } = await hostIn(lab, host, 'provisioned');
    expect(spec).toMatchObject({ online: true, consumerRef: { name: machine } });
    expect(Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith('reboot.metal3.io'))).toEqual([]);
    await keepRuns(lab, 'health-check', entityWorkflowId('Metal3Remediation', { namespace: NAMESPACE, name: machine }));
  });

  test('for good is replaced after the retries, on another host, and its own is chosen by nobody', async () => {
    const before = await switched();
    await letFail(lab, index, { kind: 'dead-system' });
    await expect.poll(phaseOf, PATIENCE).toBe('Deleting machine');
    // The first attempt and one retry, off and on each.
    expect((await switched()) - before).toBe(4);
    await record.gone('Machine', machine);
    const [fresh = ''] = await runningWorkers(lab, CLUSTER, 1);
    expect(fresh).not.toBe(machine);
    const { name: other } = await record.first('BareMetalHost', { spec: { consumerRef: { name: fresh } } });
    expect(other).not.toBe(host);
    const { metadata, spec } = await hostIn(lab, host, 'available');
    expect(metadata.annotations).toHaveProperty([UNHEALTHY]);
    expect(spec).not.toHaveProperty('consumerRef');
  });
});
