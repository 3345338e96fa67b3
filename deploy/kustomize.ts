import { resolve } from 'node:path';
import { execa } from 'execa';

/** The objects of a kustomization, of this folder unless its path is absolute, as one YAML stream. kubectl includes kustomize. */
export async function kustomize(kubectl: string, folder: string): Promise<string> {
  const { stdout } = await execa(kubectl, ['kustomize', resolve(import.meta.dirname, folder)]);
  return `${stdout}\n`;
}
