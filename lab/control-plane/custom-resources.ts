import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isAlreadyExists, isConflict, type Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { until } from '../supervisor/wait.ts';
import { type Manifest, readManifestFile } from './manifest.ts';
import { withKube } from './objects.ts';

/** null before the API server has processed a new CRD. */
const conditions = z.array(z.looseObject({ type: z.string(), status: z.string() })).nullish();
const crdSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  status: z.looseObject({ conditions: conditions.transform((given) => given ?? []) }).prefault({}),
});

/** Applies every CRD of a folder and returns when the API server serves them all. */
export const applyCrds = (kubeconfig: string, folder: string, signal: AbortSignal): Promise<readonly string[]> =>
  applyAllCrds(kubeconfig, readCrds(folder), signal);

/** Annotation with the digest of the last applied version: unchanged manifests are skipped. */
const APPLIED = 'temper.lab/applied';

export async function applyAllCrds(
  kubeconfig: string,
  crds: readonly Manifest[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  return withKube(kubeconfig, async (kube) => {
    for (const crd of crds) await whileContended(() => replaceCrd(kube, crd), isOvertaken);
    const names = crds.map(({ metadata }) => metadata.name);
    await Promise.all(names.map((name) => until(`CRD ${name}`, () => askEstablished(kube, name), signal)));
    return names;
  });
}

/** True when another client has applied the same CRD at the same time. */
const isOvertaken = (error: unknown): boolean => isConflict(error) || isAlreadyExists(error);

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Replaces the whole CRD: server-side apply of a large schema takes the API server twice as long. */
async function replaceCrd(kube: Kube, crd: Manifest): Promise<void> {
  const path = `${CRDS}/${crd.metadata.name}`;
  const applied = createHash('sha256').update(JSON.stringify(crd)).digest('hex');
  const found = crdSchema.optional().parse(await kube.find(path));
  if (found?.metadata.annotations[APPLIED] === applied) return;
  const annotations = { ...crd.metadata.annotations, [APPLIED]: applied };
  if (found === undefined) {
    await kube.request({ method: 'POST', path: CRDS, body: { ...crd, metadata: { ...crd.metadata, annotations } } });
  } else {
    const { resourceVersion } = found.metadata;
    const body = { ...crd, metadata: { ...crd.metadata, annotations, resourceVersion } };
    await kube.request({ method: 'PUT', path, body });
  }
}

const readCrds = (folder: string): readonly Manifest[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => readManifestFile(join(folder, file)))
    .filter(({ kind }) => kind === 'CustomResourceDefinition');

async function askEstablished(kube: Kube, name: string): Promise<void> {
  const { conditions } = crdSchema.parse(await kube.request({ path: `${CRDS}/${name}` })).status;
  const isEstablished = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  if (!isEstablished) throw new Error(`conditions are ${JSON.stringify(conditions)}`);
}
