import { join } from 'node:path';
import { execa } from 'execa';

/** The objects of a kustomization of this folder as one YAML stream. kubectl includes kustomize. */
export async function kustomize(kubectl: string, folder: string): Promise<string> {
  const { stdout } = await execa(kubectl, ['kustomize', join(import.meta.dirname, folder)]);
  return `${stdout}\n`;
}
