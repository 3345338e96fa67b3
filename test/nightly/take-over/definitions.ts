import { z } from 'zod';
import { isConflict, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { definitionPath } from '../../../kube/paths.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definitions = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Removes the descriptions from all CRDs: they are most of their text, and nothing reads them. */
export async function withoutDescriptions(kube: Kube): Promise<void> {
  for (const { metadata } of definitions.parse(await kube.request({ path: PATH })).items)
    await whileContended(() => strip(kube, definitionPath(metadata.name)), isConflict);
}

async function strip(kube: Kube, path: string): Promise<void> {
  const body: unknown = JSON.parse(JSON.stringify(await kube.request({ path })), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  await kube.request({ method: 'PUT', path, body });
}
