import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { entityWorkflowId } from '../../workflows/messages.ts';
import {
  type ClusterRecord,
  clusterManifests,
  machineTemplate,
  machineTemplateRef,
  openWorkload,
  type Role,
  recordClusters,
  templateName,
  VERSION,
  type Workload,
} from '../e2e/support/cluster.ts';
import { keepRuns } from '../e2e/support/histories.ts';
import { apply, createHost, hostIn, kubectl, NAMESPACE } from '../e2e/support/hosts.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { PATIENCE } from '../e2e/support/machines.ts';
import { machineOf } from '../e2e/support/metal.ts';

/** A cluster is upgraded to another version of Kubernetes by another image, on its own hosts. */
const CLUSTER = 'test1';
const BEFORE = 'v1.33.8';
/** The last one of each role is free and stays free. */
const HOSTS = { 'control-plane': [0, 1, 2, 3], worker: [4, 5, 6] } as const;
const COUNTS = { 'control-plane': 3, worker: 2 } as const;
const ROLES = ['control-plane', 'worker'] as const;
const CONTROL_PLANE = 'cluster.x-k8s.io/control-plane';
const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';
const KEPT_FOR = { 'control-plane': `cp-${CLUSTER}`, worker: `md-${CLUSTER}` } as const;

/** Without a surge the new machine can use the host of the old one. */
const oneByOne = (more: object): object => ({ rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: more } } });

let lab: TestLab;
let record: ClusterRecord;
let workload: Workload;
/** Before the upgrade, by role. */
let hosts: Readonly<Record<Role, readonly string[]>>;

beforeAll(async () => {
  lab = await aLab({ machines: HOSTS['control-plane'].length + HOSTS.worker.length, clusterApi: true });
  record = recordClusters(lab);
  const made = ROLES.flatMap((role) =>
    HOSTS[role].map(async (index) => {
      const name = await createHost(lab, index);
      await kubectl(lab, ['label', 'bmh', name, `role=${role}`]);
      await hostIn(lab, name, 'available');
    }),
  );
  await Promise.all(made);
  const template = { nodeReuse: true, label: `node-${BEFORE}` };
  const manifests = await clusterManifests(lab, CLUSTER, {
    workers: COUNTS.worker,
    version: BEFORE,
    templates: { 'control-plane': template, worker: template },
    controlPlane: { replicas: COUNTS['control-plane'], ...oneByOne({ maxSurge: 0 }) },
    deployment: oneByOne({ maxSurge: 0, maxUnavailable: 1 }),
  });
  await apply(lab, ...manifests);
  await upToDate('control-plane', BEFORE);
  await upToDate('worker', BEFORE);
  workload = await openWorkload(record, CLUSTER);
  hosts = { 'control-plane': await hostsOf('control-plane'), worker: await hostsOf('worker') };
});
afterAll(async () => {
  record?.close();
  await workload?.close();
  await lab?.stop();
});

const KINDS = { 'control-plane': 'KubeadmControlPlane', worker: 'MachineDeployment' } as const;

/** Waits until all machines of a role have this version and run. */
const upToDate = (role: Role, version: string): Promise<void> =>
  vi.waitFor(
    () => {
      const last = new Map(record.looks('Machine').map((look) => [look.name, look]));
      const machines = [...last.values()].filter(
        ({ type, object }) =>
          type !== 'DELETED' && CONTROL_PLANE in object.metadata.labels === (role === 'control-plane'),
      );
      expect(machines.map(({ object: { spec, status } }) => [spec['version'], status['phase']])).toEqual(
        Array.from({ length: COUNTS[role] }, () => [version, 'Running']),
      );
    },
    { ...PATIENCE, timeout: 900_000 },
  );

/** Names of the hosts that machines of a role have now. */
async function hostsOf(role: Role): Promise<readonly string[]> {
  const consumer = 'jsonpath={range .items[?(@.spec.consumerRef.kind=="Metal3Machine")]}{.metadata.name}{" "}{end}';
  return (await kubectl(lab, ['get', 'bmh', '-l', `role=${role}`, '-o', consumer])).trim().split(' ');
}

const nodes = z.object({
  items: z.array(z.object({ status: z.object({ nodeInfo: z.object({ kubeletVersion: z.string() }) }) })),
});

describe('a cluster whose version and image are changed', () => {
  test.each(ROLES)('has every %s replaced on the host that it had', async (role) => {
    const kind = KINDS[role];
    const name = `${templateName(CLUSTER, role)}-next`;
    const old = templateName(CLUSTER, role);
    const spec = { dataTemplate: { name: old }, hostSelector: { matchLabels: { role } } };
    await apply(lab, machineTemplate(lab, { name, nodeReuse: true, label: `node-${VERSION}`, spec }));
    const change = { infrastructureRef: machineTemplateRef(name) };
    const patch =
      role === 'control-plane'
        ? { version: VERSION, machineTemplate: { spec: change } }
        : { template: { spec: { version: VERSION, ...change } } };
    await kubectl(lab, ['patch', kind, CLUSTER, '--type=merge', '-p', JSON.stringify({ spec: patch })]);
    await upToDate(role, VERSION);

    expect(await hostsOf(role)).toEqual(hosts[role]);
    for (const host of hosts[role]) {
      const index = Number(host.split('-')[1]);
      const { disk } = await machineOf(lab, index);
      expect(disk).toMatchObject({
        image: { url: `${lab.endpoints.images}/node-${VERSION}-1MiB.raw` },
        writes: 2,
        // At the start, and between the two machines.
        erasures: 2,
      });
      const kept = await record.first('BareMetalHost', ({ metadata }) => REUSE in metadata.labels, host);
      expect(kept.object).toMatchObject({
        metadata: { labels: { [REUSE]: KEPT_FOR[role] } },
        spec: { consumerRef: { kind: 'Cluster', name: CLUSTER } },
      });
    }
    const spare = HOSTS[role].map((index) => `host-${index}`).filter((host) => !hosts[role].includes(host));
    expect(spare).toHaveLength(1);
    for (const host of spare) {
      for (const { object } of record.looks('BareMetalHost', host))
        expect(object.spec).not.toHaveProperty('consumerRef');
    }
    const clonedFrom = { metadata: { annotations: { 'cluster.x-k8s.io/cloned-from-name': old } } };
    const { name: replaced } = await record.first('Metal3Machine', clonedFrom);
    await keepRuns(lab, 'upgraded', entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name: replaced }));
  });

  test('has Nodes of the new version alone', async () => {
    const { items } = nodes.parse(await workload.kube.request({ path: '/api/v1/nodes' }));
    expect(items.map(({ status }) => status.nodeInfo.kubeletVersion)).toEqual(
      Array.from({ length: COUNTS['control-plane'] + COUNTS.worker }, () => VERSION),
    );
  });

  test('never lacked more than one of its control planes', () => {
    const members = new Set<string>();
    const counts = record.looks('Machine').map(({ type, name, object: { metadata, status } }) => {
      const isMember = CONTROL_PLANE in metadata.labels && status.nodeRef !== undefined;
      if (isMember && type !== 'DELETED' && !('deletionTimestamp' in metadata)) members.add(name);
      else members.delete(name);
      return members.size;
    });
    const all = COUNTS['control-plane'];
    const since = counts.indexOf(all);
    expect(since).toBeGreaterThan(0);
    expect(new Set(counts.slice(since))).toEqual(new Set([all - 1, all]));
  });
});
