import { describe, expect, test } from 'vitest';
import { KINDS } from '../../kube/kinds.ts';
import { aCondition, NOW } from '../../test/builders/diagnoses/sights.ts';
import { explained, object, server, spec, status } from '../../test/builders/explained.ts';
import { clusterExplanation } from './cluster.ts';

describe('the explanation of a machine whose hosts are reserved', () => {
  const message =
    'failed to associate the Metal3Machine to a BareMetalHost: no available host found. 1 host: 1 in error';
  const REUSE = 'infrastructure.cluster.x-k8s.io/node-reuse';
  const API = 'cluster.x-k8s.io/v1beta2';
  const reserved = (cluster: string) => ({
    metadata: { finalizers: ['baremetalhost.metal3.io'], labels: { [REUSE]: 'md-workers' } },
    spec: { ...spec, consumerRef: { apiVersion: API, kind: 'Cluster', name: cluster, namespace: 'metal' } },
    status: { ...status, provisioning: { state: 'deprovisioning', ID: 'n' } },
  });
  const ownedBy = (kind: string, name: string) => ({
    ownerReferences: [{ apiVersion: API, kind, name, uid: 'uid' }],
  });
  const reasons = async (cluster: string, refused?: string) => {
    const api = server(refused);
    await api.put(KINDS.cluster, 'prod', {});
    await api.put(KINDS.machine, 'worker-1', {
      metadata: ownedBy('MachineSet', 'workers-1'),
      spec: { clusterName: 'prod', infrastructureRef: { kind: 'Metal3Machine', name: 'worker-1' } },
    });
    await api.put(KINDS.machineSet, 'workers-1', {
      metadata: { ...ownedBy('MachineDeployment', 'workers'), uid: 'uid' },
    });
    const condition = aCondition('AssociateBareMetalHost', 'False', 'AssociateBareMetalHostFailed', message);
    await api.put(KINDS.metal3Machine, 'worker-1', {
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' }, ...ownedBy('Machine', 'worker-1') },
      status: { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T11:00:00Z' }] },
    });
    await api.put(KINDS.host, 'node-1', object(reserved(cluster)));
    await api.put(KINDS.host, 'node-2', object({ status: { ...status, provisioning: { state: 'available' } } }));
    const found = await clusterExplanation(api.reading, { namespace: 'metal', name: 'prod' }, 'temper-system', NOW);
    const { causes, unread } = await explained(api, 'machine');
    const seen = (all: typeof causes) => all[0]?.evidence.slice(1).map(({ words }) => words);
    expect(seen(found?.machines[0]?.causes ?? [])).toEqual(seen(causes));
    return [seen(causes), unread.filter((line) => !line.startsWith('run'))];
  };

  test('waits for its own, and takes no other', async () => {
    expect(await reasons('prod')).toEqual([
      ['not available (deprovisioning)', 'another host is reserved for this machine'],
      [],
    ]);
  });

  test('says that a host is reserved for others, and what could not be read for that', async () => {
    expect(await reasons('prod', '/machinesets/')).toEqual([
      ['reserved for other machines', 'it could be chosen now'],
      ['MachineSet metal/workers-1: it is forbidden'],
    ]);
  });

  test('may have a host whose Cluster is deleted', async () => {
    expect(await reasons('gone', '/machinesets/')).toEqual([
      ['not available (deprovisioning)', 'it could be chosen now'],
      ['MachineSet metal/workers-1: it is forbidden'],
    ]);
  });
});
