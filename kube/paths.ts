import { KINDS } from './kinds.ts';

/** Paths in the API server. */
export interface Named {
  readonly namespace: string;
  readonly name: string;
}

/** A DNS subdomain, as the names of all objects that we use. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/**
 * False for a text that cannot be an object's name. Users write names into specs: one such as `../../other/secrets/x`
 * must not lead out of the host's namespace.
 */
export const isObjectName = (name: string): boolean => NAME.test(name) && !name.includes('..');

/** A kind, as paths name it. */
export interface Resource {
  /** `group/version`, for example `infrastructure.cluster.x-k8s.io/v1beta2`; `v1` for the core group. */
  readonly apiVersion: string;
  readonly plural: string;
}

/** What the API server serves of a `group/version`. */
export const versionPath = ({ apiVersion }: Pick<Resource, 'apiVersion'>): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

function pathOf({ plural, ...version }: Resource, namespace?: string, name?: string): string {
  const root = versionPath(version);
  const within = namespace === undefined ? root : `${root}/namespaces/${encodeURIComponent(namespace)}`;
  return `${within}/${plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}

export const objectPath = (resource: Resource, { namespace, name }: Named): string => pathOf(resource, namespace, name);

/** All objects of a kind, in one namespace or (undefined) in all. */
export const collectionPath = (resource: Resource, namespace: string | undefined): string =>
  pathOf(resource, namespace);

export const DEFINITIONS: Resource = { apiVersion: 'apiextensions.k8s.io/v1', plural: 'customresourcedefinitions' };
const LEASES: Resource = { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' };

/** The name of the kind's CRD. */
export const crdOf = ({ apiVersion, plural }: Resource): string => `${plural}.${apiVersion.split('/')[0] ?? ''}`;

/** Short for the kinds that are asked for most. */
const objectsOf =
  (resource: Resource) =>
  (named: Named): string =>
    objectPath(resource, named);
export const hostPath = objectsOf(KINDS.host);
export const hardwareDataPath = objectsOf(KINDS.hardwareData);
export const imagePath = objectsOf(KINDS.preprovisioningImage);
export const dataImagePath = objectsOf(KINDS.dataImage);
export const secretPath = objectsOf(KINDS.secret);
export const leasePath = objectsOf(LEASES);
export const ironicPath = objectsOf({ apiVersion: 'ironic.metal3.io/v1alpha1', plural: 'ironics' });
/** A ConfigMap, or without a name all of the namespace. */
export const configMapPath = ({ namespace, name }: { readonly namespace: string; readonly name?: string }): string =>
  pathOf({ apiVersion: 'v1', plural: 'configmaps' }, namespace, name);
/** A Node, or without a name all Nodes. */
export const nodePath = (name?: string): string => pathOf(KINDS.node, undefined, name);
export const definitionPath = (name: string): string => pathOf(DEFINITIONS, undefined, name);
/** A configuration of webhooks, or without a name all of them. */
export const webhookConfigurationPath = (
  name: string | undefined,
  verb: 'validating' | 'mutating' = 'validating',
): string =>
  pathOf({ apiVersion: 'admissionregistration.k8s.io/v1', plural: `${verb}webhookconfigurations` }, undefined, name);

const collectionOf =
  (resource: Resource) =>
  (namespace: string): string =>
    collectionPath(resource, namespace);
export const hostCollection = collectionOf(KINDS.host);
export const hardwareDataCollection = collectionOf(KINDS.hardwareData);
export const secretCollection = collectionOf(KINDS.secret);
export const eventCollection = collectionOf({ apiVersion: 'v1', plural: 'events' });
/** All Leases of a namespace or (undefined) of all. */
export const leaseCollection = (namespace: string | undefined): string => pathOf(LEASES, namespace);
