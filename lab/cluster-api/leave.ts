import { z } from 'zod';
import { definitionPath } from '../../kube/paths.ts';
import { withKube } from '../control-plane/objects.ts';
import { MANAGERS } from './cluster-api.ts';

const labelSelector = `cluster.x-k8s.io/provider in (${MANAGERS.map(({ provider }) => provider).join(',')})`;
const named = z.object({ items: z.array(z.looseObject({ metadata: z.object({ name: z.string() }) })) });
const converted = z.object({ spec: z.object({ conversion: z.object({ strategy: z.literal('Webhook') }) }) });

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CONFIGURATIONS = ['validating', 'mutating'].map(
  (kind) => `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`,
);

/**
 * Prepares a lab without Cluster API whose API server has Cluster API's kinds from an earlier start. Their webhooks do
 * not run, so the API server would refuse each write of these kinds, and fail to list their other versions every
 * second. Objects stay; a start with Cluster API registers the webhooks again.
 */
export const leaveClusterApi = (kubeconfig: string): Promise<void> =>
  withKube(kubeconfig, async (kube) => {
    const list = async (path: string) => named.parse(await kube.request({ path, query: { labelSelector } })).items;
    for (const path of CONFIGURATIONS)
      for (const { metadata } of await list(path))
        await kube.request({ method: 'DELETE', path: `${path}/${metadata.name}` });
    const conversion = { strategy: 'None', webhook: null };
    for (const definition of await list(DEFINITIONS))
      if (converted.safeParse(definition).success)
        await kube.patch(definitionPath(definition.metadata.name), { spec: { conversion } });
  });
