import { expect, test } from 'vitest';
import { z } from 'zod';
import { rendered } from '../../test/builders/rendered.ts';
import { PODS, podsOf } from './pods.ts';
import { DIAGNOSES } from './table.ts';

/** Installations in which namespaces and names differ. */
const INSTALLATIONS = ['kubernetes/base', 'clusterctl/infrastructure'];

const labels = z.record(z.string(), z.string());
const deployment = z.object({
  kind: z.literal('Deployment'),
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({ template: z.object({ metadata: z.object({ labels }) }) }),
});

/** The Deployments whose pods a command selects. */
async function selectedIn(folder: string, command: string): Promise<readonly string[]> {
  const selector = / -l (\S+)$/.exec(command)?.[1]?.split(',') ?? [];
  expect(selector).not.toEqual([]);
  return (await rendered(folder)).flatMap((object) => {
    const { data } = deployment.safeParse(object);
    if (data === undefined) return [];
    const of = Object.entries(data.spec.template.metadata.labels).map(([key, value]) => `${key}=${value}`);
    return selector.every((each) => of.includes(each)) ? [`${data.metadata.namespace}/${data.metadata.name}`] : [];
  });
}

test('the commands for pods find bridge and workers in each installation, whatever their names are', async () => {
  const found = await Promise.all(
    INSTALLATIONS.map((folder) =>
      Promise.all([podsOf('bridge'), podsOf('workers'), PODS].map((command) => selectedIn(folder, command))),
    ),
  );
  expect(found).toEqual([
    [['temper-system/temper-bridge'], ['temper-system/temper-workers'], expect.arrayContaining(found[0]?.flat() ?? [])],
    [['capm3-system/capm3-controller-manager'], ['capm3-system/capm3-workers'], found[1]?.slice(0, 2).flat()],
  ]);
});

test('no diagnosis names the namespace or the Deployment of one installation', () => {
  const texts = DIAGNOSES.flatMap(({ cause, next, commands }) => [cause, next, ...commands]);
  expect(texts.filter((text) => /temper-(system|bridge|workers)|capm3-/.test(text))).toEqual([]);
});
