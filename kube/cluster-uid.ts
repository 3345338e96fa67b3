import { z } from 'zod';
import type { Kube } from './client.ts';

const namespace = z.object({ metadata: z.object({ uid: z.string().min(1) }) });

/**
 * The identity of a cluster: the uid of its namespace kube-system, which every cluster has and nobody creates again. It
 * is the same after etcd was restored from a backup.
 */
export async function readClusterUid(kube: Kube): Promise<string> {
  const found = await kube.request({ path: '/api/v1/namespaces/kube-system' });
  return namespace.parse(found).metadata.uid;
}
