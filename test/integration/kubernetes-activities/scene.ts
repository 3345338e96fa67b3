import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import { connectKube } from '../../../kube/client.ts';
import { postHost } from '../post-host.ts';

/** Hosts and Secrets in a namespace of their own. */
export function hostsAndSecrets() {
  const kube = connectKube(inject('kubeconfig'));
  const namespace = `activities-${randomBytes(4).toString('hex')}`;

  const aHost = (name: string, more: object = {}, place = namespace): Promise<HostRef> =>
    postHost(kube, place, name, more);

  async function aSecret(
    name: string,
    stringData: Record<string, string>,
    metadata: object = {},
    type = 'Opaque',
  ): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Secret', type, metadata: { name, ...metadata }, stringData };
    await kube.request({ method: 'POST', path: `/api/v1/namespaces/${namespace}/secrets`, body });
  }

  const metadataOf = async (path: string): Promise<BareMetalHost['metadata']> =>
    ((await kube.request({ path })) as BareMetalHost).metadata;

  return {
    kube,
    namespace,
    begin: () => kube.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } }),
    aHost,
    aSecret,
    metadataOf,
  };
}
