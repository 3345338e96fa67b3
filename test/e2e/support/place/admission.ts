import type { Kube } from '../../../../kube/client.ts';
import { WITHOUT_ADMISSION } from '../../../../lab/webhooks.ts';

/** Makes the API server accept objects of this namespace without asking the webhooks. It takes effect after a moment. */
export const skipAdmission = (kube: Kube, namespace: string): Promise<unknown> =>
  kube.patch(`/api/v1/namespaces/${namespace}`, { metadata: { labels: WITHOUT_ADMISSION } });
