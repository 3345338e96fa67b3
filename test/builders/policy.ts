import { vi } from 'vitest';
import type { Kube } from '../../kube/client.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';

/** A policy of the cluster's administrator, for one namespace. */
export interface Forbidden {
  readonly namespace: string;
  readonly name: string;
  /** For example `secrets`, `baremetalhosts`. */
  readonly resources: readonly string[];
  /** A CEL expression about `object` and `oldObject` that holds for allowed updates. */
  readonly allows: string;
  readonly message: string;
}

/** A field of the metadata stays as it was. */
export const unchanged = (field: 'labels' | 'annotations' | 'finalizers'): string => {
  const [now, before] = [`object.metadata.${field}`, `oldObject.metadata.${field}`];
  return `(has(${now}) ? (has(${before}) && ${now} == ${before}) : !has(${before}))`;
};

/** Applies the rule only to objects whose names begin with the prefix. */
export const named = (prefix: string, allows: string): string =>
  `!object.metadata.name.startsWith('${prefix}') || (${allows})`;

/**
 * The API server answers updates that are not allowed with 403, a moment after this. The returned function ends the
 * policy.
 */
export async function forbid(kube: Kube, forbidden: Forbidden): Promise<() => Promise<void>> {
  const { namespace, resources, allows, message } = forbidden;
  const name = `${namespace}-${forbidden.name}`;
  const create = (path: string, spec: object): Promise<unknown> =>
    kube.request({ method: 'POST', path, body: { metadata: { name }, spec } });
  await create(POLICIES, {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: ['', 'metal3.io'], apiVersions: ['v1', 'v1alpha1'], resources, operations: ['UPDATE'] },
      ],
    },
    validations: [{ expression: allows, message, reason: 'Forbidden' }],
  });
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  await create(BINDINGS, { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } });
  return async () => {
    await kube.request({ method: 'DELETE', path: `${BINDINGS}/${name}` });
    await kube.request({ method: 'DELETE', path: `${POLICIES}/${name}` });
  };
}

/** Waits until a new label on the object at this path is answered with 403. */
export async function untilForbidden(kube: Kube, path: string): Promise<void> {
  let probes = 0;
  const isForbidden = (): Promise<boolean> =>
    kube.patch(path, { metadata: { labels: { probe: String(probes++) } } }).then(
      () => false,
      (error: unknown) => String(error).includes('403'),
    );
  await vi.waitUntil(isForbidden, { timeout: 120_000, interval: 50 });
}
