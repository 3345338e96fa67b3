import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Kube, KubeError } from '../../../kube/client.ts';
import { createRequest } from '../../../platform/tls/certificates.ts';
import { InvalidUserData } from '../user-data/kubeadm-config.ts';

const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

const requestSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  status: z
    .looseObject({
      certificate: z.string().optional(),
      conditions: z.array(z.looseObject({ type: z.string(), message: z.string().default('') })).default([]),
    })
    .prefault({}),
});

/**
 * Requests a kubelet's certificate from the cluster with the client's rights only; waits until the cluster's
 * controllers have approved and signed it.
 */
export async function requestCertificate(
  kube: Kube,
  node: string,
  signal: AbortSignal,
): Promise<{ readonly cert: string; readonly key: string }> {
  const { request, key } = await createRequest(`O=system:nodes, CN=system:node:${node}`);
  const spec = {
    request: Buffer.from(request).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  };
  const created = await kube
    .request({
      method: 'POST',
      path: REQUESTS,
      body: {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { generateName: 'node-csr-' },
        spec,
      },
      signal,
    })
    .catch((error: unknown) => {
      if (error instanceof KubeError && (error.status === 401 || error.status === 403))
        throw new InvalidUserData(error.message);
      throw error;
    });
  const { name } = requestSchema.parse(created).metadata;
  for (;;) {
    const { status } = requestSchema.parse(await kube.request({ path: `${REQUESTS}/${name}`, signal }));
    if (status.certificate !== undefined)
      return { cert: Buffer.from(status.certificate, 'base64').toString('utf8'), key };
    const refusal = status.conditions.find(({ type }) => type === 'Denied' || type === 'Failed');
    if (refusal !== undefined) throw new InvalidUserData(`the request ${name} is ${refusal.type}: ${refusal.message}`);
    await sleep(200, undefined, { signal });
  }
}
