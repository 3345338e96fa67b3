import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isNotFound, type Kube } from '../../../kube/client.ts';
import type { KubeletOptions } from './kubelet.ts';
import { runningStatus } from './static-pods.ts';

const RETRY_MS = 1_000;

const eventSchema = z.object({
  type: z.string(),
  object: z.looseObject({
    metadata: z.looseObject({
      namespace: z.string(),
      name: z.string(),
      uid: z.string(),
      deletionTimestamp: z.string().optional(),
    }),
    status: z.looseObject({ phase: z.string().default('') }).prefault({}),
  }),
});
type Pod = z.infer<typeof eventSchema>['object'];

/** Reports the Pods of the simulated Node as running and removes deleted ones, until halted. */
export async function runPods({ kube, name, signal, warn }: KubeletOptions): Promise<never> {
  const query = { watch: true, fieldSelector: `spec.nodeName=${name}` };
  for (;;) {
    try {
      for await (const line of kube.lines({ path: '/api/v1/pods', query, signal })) {
        const { type, object } = eventSchema.parse(JSON.parse(line));
        // A Pod that causes an error does not affect the others.
        if (type !== 'DELETED')
          await follow(kube, object, signal).catch((error: unknown) => warn(error, 'handling a Pod failed'));
      }
    } catch (error) {
      signal.throwIfAborted();
      warn(error, 'handling the Pods of the Node failed');
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

async function follow(kube: Kube, { metadata, status }: Pod, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
  const uid = metadata.uid;
  const work =
    metadata.deletionTimestamp !== undefined
      ? kube.request({ method: 'DELETE', path, body: { gracePeriodSeconds: 0, preconditions: { uid } }, signal })
      : status.phase === 'Running'
        ? undefined
        : kube.request({
            method: 'PATCH',
            path: `${path}/status`,
            contentType: 'application/strategic-merge-patch+json',
            body: { metadata: { uid }, status: runningStatus() },
            signal,
          });
  await work?.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}
