import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kustomize } from '../../deploy/kustomize.ts';
import { createResolver } from '../../lab/binaries/resolve.ts';

/** Path of kubectl, from PATH or downloaded. */
export const kubectlPath = async (): Promise<string> => (await createResolver()('kubectl')).path;

/** The objects of a kustomization, below deploy/ unless its path is absolute, as a user would apply them. */
export async function rendered(folder: string): Promise<readonly unknown[]> {
  return parseAllDocuments(await kustomize(await kubectlPath(), folder)).map((document) => document.toJS() as unknown);
}

/** The objects of a kustomization like that of docs/installation.md: an overlay, with more components. */
export async function renderedWith(overlay: string, ...components: readonly string[]): Promise<readonly unknown[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'temper-rendered-')));
  const there = (...path: readonly string[]): string =>
    relative(folder, join(import.meta.dirname, '../../deploy/kubernetes', ...path));
  const kustomization = {
    resources: [there('overlays', overlay)],
    components: components.map((name) => there('components', name)),
  };
  try {
    // JSON is YAML.
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return await rendered(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
