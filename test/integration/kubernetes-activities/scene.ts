import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import type { HostRef } from '../../../domain/ironic/orders.ts';
import { connectKube } from '../../../kube/client.ts';
import { hostPath } from '../../../kube/paths.ts';

/** Hosts and Secrets in a namespace of their own. */
export function hostsAndSecrets() {
  const kube = connectKube(inject('kubeconfig'));
  const namespace = `activities-${randomBytes(4).toString('hex')}`;

  async function aHost(name: string, more: object = {}, place = namespace): Promise<HostRef> {
    const body = {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name, ...more },
      spec: { online: true },
    };
    const path = hostPath({ namespace: place, name: '' }).replace(/\/$/, '');
    const { metadata } = (await kube.request({ method: 'POST', path, body })) as BareMetalHost;
    return { namespace: place, name, uid: metadata.uid ?? '' };
  }

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
