import type { Kube } from '../../../../kube/client.ts';
import { WITHOUT_ADMISSION } from '../../../../lab/webhooks.ts';

/** Makes the API server skip the webhooks for objects of this namespace. It takes effect a moment later. */
export const skipAdmission = (kube: Kube, namespace: string): Promise<unknown> =>
  kube.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels: WITHOUT_ADMISSION } });
