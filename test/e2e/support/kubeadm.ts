import { parse } from 'yaml';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { configMapPath } from '../../../kube/paths.ts';

/** What kubeadm leaves in a workload cluster, and what it took from the management cluster. */

const requests = z.object({
  items: z.array(
    z.object({
      spec: z.looseObject({ username: z.string() }),
      status: z.looseObject({ certificate: z.string().optional() }),
    }),
  ),
});
const kubeadmConfig = z.object({ data: z.object({ ClusterConfiguration: z.string() }) });
const metal3Cluster = z.object({
  spec: z.object({ controlPlaneEndpoint: z.object({ host: z.string(), port: z.number() }) }),
});

/** The requests for certificates with which kubelets join. */
export const signingRequestsIn = async (kube: Kube): Promise<z.infer<typeof requests>['items']> =>
  requests.parse(await kube.request({ path: '/apis/certificates.k8s.io/v1/certificatesigningrequests' })).items;

/** The ClusterConfiguration of the first control plane. */
export async function kubeadmConfigIn(kube: Kube): Promise<unknown> {
  const config = await kube.request({ path: configMapPath({ namespace: 'kube-system', name: 'kubeadm-config' }) });
  return parse(kubeadmConfig.parse(config).data.ClusterConfiguration);
}

/** The endpoint in the spec of a Metal3Cluster. */
export const endpointOf = (cluster: object): { readonly host: string; readonly port: number } =>
  metal3Cluster.parse(cluster).spec.controlPlaneEndpoint;
