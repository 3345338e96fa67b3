import { parseAllDocuments } from 'yaml';
import { kustomize } from '../../deploy/kustomize.ts';
import { createResolver } from '../../lab/binaries/resolve.ts';

/** Path of kubectl, from PATH or downloaded. */
export const kubectlPath = async (): Promise<string> => (await createResolver()('kubectl')).path;

/** The objects of a kustomization below deploy/, as a user would apply them. */
export async function rendered(folder: string): Promise<readonly unknown[]> {
  return parseAllDocuments(await kustomize(await kubectlPath(), folder)).map((document) => document.toJS() as unknown);
}
