import { vi } from 'vitest';
import { collectionPath } from '../../../kube/paths.ts';
import { hostWorkflowId } from '../../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './fixture.ts';
import { isAtRest } from './forged.ts';
import { withTemporal } from './histories.ts';
import { apply } from './hosts.ts';
import { KINDS, PATIENCE } from './machines.ts';

/** The namespace of a tenant whom another one tries to reach, and the hosts in it. */
export const NEIGHBOUR = 'neighbour';
export const FREE = { namespace: NEIGHBOUR, name: 'free' };
export const USED = { namespace: NEIGHBOUR, name: 'used' };

const theirs = (manifest: object): object => {
  const { metadata, ...rest } = manifest as { metadata: object };
  return { ...rest, metadata: { ...metadata, namespace: NEIGHBOUR } };
};

/** Creates hosts, Secrets and a template, and waits until the hosts are at rest. */
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
  for (const [{ name }, rest] of [
    [FREE, 'waiting for an image in spec.image'],
    [USED, 'provisioned as desired'],
  ] as const)
    await withTemporal(lab, ({ workflow }) => {
      const run = workflow.getHandle(hostWorkflowId({ namespace: NEIGHBOUR, name }));
      return vi.waitUntil(() => isAtRest(run, rest), PATIENCE);
    });
}
