/** Paths in the API server. */
export interface Named {
  readonly namespace: string;
  readonly name: string;
}

const METAL3 = '/apis/metal3.io/v1alpha1';

/** A DNS subdomain, as the names of all objects that we use. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * False for a text that cannot be an object's name. Users write names into specs: one such as `../../other/secrets/x`
 * must not lead out of the host's namespace.
 */
export const isObjectName = (name: string): boolean => NAME.test(name) && !name.includes('..');

const inNamespace = (root: string, namespace: string, plural: string, name?: string): string =>
  `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;

export const hostPath = ({ namespace, name }: Named): string => inNamespace(METAL3, namespace, 'baremetalhosts', name);
export const hostCollection = (namespace: string): string => inNamespace(METAL3, namespace, 'baremetalhosts');
export const hardwareDataPath = ({ namespace, name }: Named): string =>
  inNamespace(METAL3, namespace, 'hardwaredata', name);
export const hardwareDataCollection = (namespace: string): string => inNamespace(METAL3, namespace, 'hardwaredata');
export const imagePath = ({ namespace, name }: Named): string =>
  inNamespace(METAL3, namespace, 'preprovisioningimages', name);
export const imageCollection = (namespace: string): string => inNamespace(METAL3, namespace, 'preprovisioningimages');
export const dataImagePath = ({ namespace, name }: Named): string => inNamespace(METAL3, namespace, 'dataimages', name);
export const secretPath = ({ namespace, name }: Named): string => inNamespace('/api/v1', namespace, 'secrets', name);
/** A ConfigMap, or without a name all of the namespace. */
export const configMapPath = ({ namespace, name }: { readonly namespace: string; readonly name?: string }): string =>
  inNamespace('/api/v1', namespace, 'configmaps', name);
export const secretCollection = (namespace: string): string => inNamespace('/api/v1', namespace, 'secrets');
export const webhookConfigurationPath = (name: string, verb: 'validating' | 'mutating' = 'validating'): string =>
  `/apis/admissionregistration.k8s.io/v1/${verb}webhookconfigurations/${name}`;
export const definitionPath = (name: string): string =>
  `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
export const eventCollection = (namespace: string): string => inNamespace('/api/v1', namespace, 'events');
export const ironicPath = ({ namespace, name }: Named): string =>
  inNamespace('/apis/ironic.metal3.io/v1alpha1', namespace, 'ironics', name);
/** A Node, or without a name all Nodes. */
export const nodePath = (name?: string): string =>
  `/api/v1/nodes${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
export const leasePath = ({ namespace, name }: Named): string =>
  inNamespace('/apis/coordination.k8s.io/v1', namespace, 'leases', name);
export const leaseCollection = (namespace: string): string =>
  inNamespace('/apis/coordination.k8s.io/v1', namespace, 'leases');

/** All objects of a kind, in one namespace or (undefined) in all. */
export const kindPath = (
  kind: 'baremetalhosts' | 'hardwaredata' | 'preprovisioningimages' | 'dataimages' | 'secrets',
  namespace: string | undefined,
): string => {
  const root = kind === 'secrets' ? '/api/v1' : METAL3;
  return namespace === undefined ? `${root}/${kind}` : inNamespace(root, namespace, kind);
};

/** A namespaced kind. */
export interface Resource {
  /** `group/version`, for example `infrastructure.cluster.x-k8s.io/v1beta2`; `v1` for the core group. */
  readonly apiVersion: string;
  readonly plural: string;
}

const rootOf = ({ apiVersion }: Resource): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

export const objectPath = (resource: Resource, { namespace, name }: Named): string =>
  inNamespace(rootOf(resource), namespace, resource.plural, name);

/** All objects of a kind, in one namespace or (undefined) in all. */
export const collectionPath = (resource: Resource, namespace: string | undefined): string =>
  namespace === undefined
    ? `${rootOf(resource)}/${resource.plural}`
    : inNamespace(rootOf(resource), namespace, resource.plural);
