import { runOnNode } from './namespaces.ts';

/** The image of the first container of each Pod, which only keeps its namespaces. */
export const PAUSE = 'localhost/pause:1';

/** Makes the image of one static program, in the folders of a node; writes its OCI archive. */
export async function savePause(holder: number, archive: string): Promise<void> {
  const buildah = (...args: readonly string[]): Promise<string> => runOnNode(holder, ['buildah', ...args]);
  const container = await buildah('from', 'scratch');
  // busybox is the command by whose name it is called.
  await buildah('copy', container, '/bin/busybox', '/bin/sleep');
  await buildah('config', '--entrypoint', '["/bin/sleep", "2147483647"]', container);
  await buildah('commit', container, `oci-archive:${archive}:${PAUSE}`);
}
