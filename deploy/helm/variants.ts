import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { execa } from 'execa';
import { parse } from 'yaml';
import { z } from 'zod';

const KUBERNETES = join(import.meta.dirname, '..', 'kubernetes');

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type Manifest = z.infer<typeof manifest>;

/** The manifests without components, and with each of them. */
export interface Variants {
  readonly base: readonly Manifest[];
  readonly with: ReadonlyMap<string, readonly Manifest[]>;
  /** The components that remove an object that another one has added. */
  removersOf(identity: string, component: string): readonly string[];
}

export const identityOf = ({ kind, metadata }: Manifest): string => [kind, metadata.namespace, metadata.name].join('/');

/** The name of the image is a value of the chart; workers with versions need Deployments of several releases. */
const NOT_IN_CHART = ['image', 'worker-versions'];

export async function componentNames(): Promise<readonly string[]> {
  const names = await readdir(join(KUBERNETES, 'components'));
  return names.filter((name) => !NOT_IN_CHART.includes(name)).toSorted();
}

export async function readVariants(kubectl: string): Promise<Variants> {
  const base = await withComponents(kubectl, []);
  const variants = new Map<string, readonly Manifest[]>();
  for (const name of await componentNames()) variants.set(name, await withComponents(kubectl, [name]));
  const addedBy = (component: string): readonly string[] => lacking(base, variants.get(component) ?? []);
  const removing = [...variants].filter(([, manifests]) => lacking(manifests, base).length > 0).map(([name]) => name);
  const adding = [...variants.keys()].filter((name) => !removing.includes(name));

  const removed = new Map<string, readonly string[]>();
  for (const remover of removing) {
    const others = removing.filter((name) => name !== remover);
    for (const components of [adding, ...others.map((name) => [name])]) {
      const added = components.flatMap(addedBy);
      // Components that cannot be together remove nothing from each other.
      const left = await withComponents(kubectl, [...components, remover]).catch(() => undefined);
      const gone = left === undefined ? [] : added.filter((identity) => !isIn(left, identity));
      for (const component of components) removed.set(`${component} ${remover}`, gone);
    }
  }
  return {
    base,
    with: variants,
    removersOf: (identity, component) =>
      removing.filter((remover) => removed.get(`${component} ${remover}`)?.includes(identity) === true),
  };
}

const isIn = (manifests: readonly Manifest[], identity: string): boolean =>
  manifests.some((one) => identityOf(one) === identity);
const lacking = (manifests: readonly Manifest[], all: readonly Manifest[]): readonly string[] =>
  all.map(identityOf).filter((identity) => !isIn(manifests, identity));

/** What was read of a document: most are the same with all components, and reading the CRDs takes longest. */
const read = new Map<string, Manifest>();
function readDocument(text: string): Manifest {
  const found = read.get(text) ?? manifest.parse(parse(text));
  read.set(text, found);
  return found;
}

/** The base with components, as kustomize renders it; the ConfigMap has its name without the hash. */
export async function withComponents(kubectl: string, components: readonly string[]): Promise<readonly Manifest[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'temper-chart-')));
  try {
    const pathOf = (...path: readonly string[]): string => relative(folder, join(KUBERNETES, ...path));
    const kustomization = {
      resources: [pathOf('base')],
      components: components.map((name) => pathOf('components', name)),
    };
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { stdout } = await execa(kubectl, ['kustomize', folder]);
    const text = stdout.replaceAll(/\btemper-settings-[a-z0-9]{10}\b/g, 'temper-settings');
    return text.split(/^---$/m).map(readDocument);
  } finally {
    await rm(folder, { recursive: true });
  }
}
