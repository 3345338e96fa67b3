import type { Named } from '../../../kube/paths.ts';
import type { Manifest } from '../../../lab/control-plane/manifest.ts';

/** What the operators of Metal3 leave in a cluster. No Pods: the lab has no kubelet. */

/** The Deployment of baremetal-operator. */
export const BMO = { namespace: 'baremetal-operator-system', name: 'baremetal-operator-controller-manager' } as const;

type With<Field extends string> = Manifest & Readonly<Record<Field, unknown>>;

const LABELS = { 'control-plane': 'controller-manager' };

export const deploymentOf = (image: string, { namespace, name }: Named): With<'spec'> => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace, name },
  spec: {
    replicas: 1,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: { containers: [{ name: 'manager', image: `quay.io/metal3-io/${image}` }] },
    },
  },
});

/** Its Lease, renewed now. */
export const leaseOf = (holderIdentity: string, namespace: string, name = 'baremetal-operator'): With<'spec'> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace, name },
  spec: {
    holderIdentity,
    leaseDurationSeconds: 3_600,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

/** Its webhook about hosts, with a Service that does not exist. */
export const webhooksOf = (prefix: string, namespace: string): With<'webhooks'> => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: `${prefix}-validating-webhook-configuration` },
  webhooks: [
    {
      name: 'baremetalhost.metal3.io',
      admissionReviewVersions: ['v1'],
      clientConfig: {
        service: { name: `${prefix}-webhook-service`, namespace, path: '/validate-metal3-io-v1alpha1-baremetalhost' },
      },
      failurePolicy: 'Fail',
      rules: [
        {
          apiGroups: ['metal3.io'],
          apiVersions: ['v1alpha1'],
          operations: ['CREATE', 'UPDATE'],
          resources: ['baremetalhosts'],
        },
      ],
      sideEffects: 'None',
    },
  ],
});

/** A kind that Temper does not have. */
export const claimsCrd: With<'spec'> = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: 'hostclaims.metal3.io',
    annotations: { 'api-approved.kubernetes.io': 'unapproved, a copy for tests' },
  },
  spec: {
    group: 'metal3.io',
    names: { kind: 'HostClaim', listKind: 'HostClaimList', plural: 'hostclaims', singular: 'hostclaim' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
