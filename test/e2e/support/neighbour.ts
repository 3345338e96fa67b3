import { vi } from 'vitest';
import { collectionPath, objectPath } from '../../../kube/paths.ts';
import { entityWorkflowId, hostWorkflowId } from '../../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './fixture.ts';
import { isAtRest } from './forged.ts';
import { withTemporal } from './histories.ts';
import { apply } from './hosts.ts';
import { KINDS, PATIENCE } from './machines.ts';

/** The namespace of a tenant whom another one tries to reach, and the hosts in it. */
export const NEIGHBOUR = 'neighbour';
export const FREE = { namespace: NEIGHBOUR, name: 'free' };
export const USED = { namespace: NEIGHBOUR, name: 'used' };
/** A pool with an address that its claim has, and one that is free. */
export const POOL = { namespace: NEIGHBOUR, name: 'pool' };
export const THEIR_ADDRESSES = ['192.0.2.1', '192.0.2.2'] as const;

const theirs = (manifest: object): object => {
  const { metadata, ...rest } = manifest as { metadata: object };
  return { ...rest, metadata: { ...metadata, namespace: NEIGHBOUR } };
};

const { apiVersion } = KINDS.ipPool;
const [first, last] = THEIR_ADDRESSES;
const addresses = [
  {
    apiVersion,
    kind: 'IPPool',
    metadata: POOL,
    spec: { namePrefix: POOL.name, prefix: 24, pools: [{ start: first, end: last }] },
  },
  {
    apiVersion,
    kind: 'IPClaim',
    metadata: { name: 'theirs', namespace: NEIGHBOUR },
    spec: { pool: { name: POOL.name } },
  },
];

const isGiven = (pool: unknown): boolean => JSON.stringify(pool).includes(`"indexes":{"theirs":"${first}"}`);

/** Creates hosts, Secrets, a template and a pool, and waits until hosts and pool are at rest. */
export async function furnishNeighbour(lab: TestFixtureLab, cluster: string): Promise<void> {
  const free = theirs(fixtureHost(FREE.name)) as { metadata: object };
  await apply(
    lab,
    ...[FREE.name, USED.name].map((name) => theirs(fixtureSecret(name))),
    { ...free, metadata: { ...free.metadata, labels: { for: 'neighbour' } } },
    theirs(fixtureHost(USED.name, { image: IMAGE })),
    ...['user-data', `${cluster}-kubeconfig`].map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NEIGHBOUR },
      stringData: { value: 'secret of the neighbour' },
    })),
    ...addresses,
  );
  await lab.kube.request({
    method: 'POST',
    path: collectionPath(KINDS.metal3DataTemplate, NEIGHBOUR),
    body: {
      apiVersion: KINDS.metal3DataTemplate.apiVersion,
      kind: 'Metal3DataTemplate',
      metadata: { name: 'template' },
      spec: { clusterName: cluster, metaData: { objectNames: [{ key: 'name', object: 'machine' }] } },
    },
  });
  await vi.waitUntil(async () => isGiven(await lab.kube.request({ path: objectPath(KINDS.ipPool, POOL) })), PATIENCE);
  for (const [id, rest] of [
    [hostWorkflowId(FREE), 'waiting for an image in spec.image'],
    [hostWorkflowId(USED), 'provisioned as desired'],
    [entityWorkflowId('IPPool', POOL), 'a claim'],
  ] as const)
    await withTemporal(lab, ({ workflow }) => {
      const run = workflow.getHandle(id);
      return vi.waitUntil(() => isAtRest(run, rest), PATIENCE);
    });
}
