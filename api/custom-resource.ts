import type { z } from 'zod';
import type { FollowedKind } from './kind.ts';
import { type StructuralSchema, structural } from './structural.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Columns with a priority above 0 are only shown by `kubectl get -o wide`. */
  readonly priority?: number;
}

/** A kind with its names, versions and schemas. */
export interface CustomResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  /** `kubectl get <category>` lists this kind as well. */
  readonly categories?: readonly string[];
  readonly description: string;
  /** Labels of the CRD itself, not of its objects. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The last version is the stored one. */
  readonly versions: readonly [...ResourceVersion[], ResourceVersion];
}

/** One version of a kind. */
export interface ResourceVersion {
  readonly name: string;
  /** The API server warns clients that use this version. */
  readonly isDeprecated?: true;
  readonly columns: readonly PrinterColumn[];
  readonly spec: z.ZodType;
  /** The API server refuses an object without a spec. */
  readonly needsSpec?: true;
  readonly status?: z.ZodType;
  /** Whether status has its own endpoint, separate from the spec. */
  readonly hasStatusSubresource: boolean;
  /** For `kubectl scale`. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
}

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly scope: 'Namespaced';
    readonly conversion?: object;
    readonly versions: readonly DefinedVersion[];
  };
}

export interface DefinedVersion {
  readonly name: string;
  readonly served: true;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  /** Absent means the same as empty. */
  readonly subresources?: {
    readonly status?: Readonly<Record<string, never>>;
    readonly scale?: ResourceVersion['scale'];
  };
}

/** The bridge's Service and certificate in deploy/kubernetes. The bridge converts kinds with several versions. */
const CONVERTED_BY = {
  annotations: { 'cert-manager.io/inject-ca-from': 'temper-system/temper-serving-cert' },
  conversion: {
    strategy: 'Webhook',
    webhook: {
      clientConfig: { service: { name: 'temper-webhook-service', namespace: 'temper-system', path: '/convert' } },
      conversionReviewVersions: ['v1', 'v1beta1'],
    },
  },
};

/** The names of a kind, from its declaration. */
export const namesOf = ({
  kind,
  apiKind = kind,
  apiVersion,
  plural,
}: FollowedKind): Pick<CustomResource, 'group' | 'kind' | 'plural'> => ({
  group: apiVersion.split('/')[0] ?? '',
  kind: apiKind,
  plural,
});

/** The name of a kind's CustomResourceDefinition. */
export const definitionName = ({ plural, group }: CustomResource): string => `${plural}.${group}`;

/** Our webhook converts the objects of a kind with several versions. */
export const isConverted = ({ versions }: CustomResource): boolean => versions.length > 1;

/** Returns the CustomResourceDefinition of a kind. */
export function toDefinition(resource: CustomResource): CustomResourceDefinition {
  const { group, kind, plural, shortNames, categories, labels, versions } = resource;
  const converted = isConverted(resource) ? CONVERTED_BY : undefined;
  const annotations = { ...converted?.annotations, ...resource.annotations };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: definitionName(resource),
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      scope: 'Namespaced',
      ...(converted === undefined ? {} : { conversion: converted.conversion }),
      versions: versions.map((version) => definedVersion(resource, version, version === versions.at(-1))),
    },
  };
}

/** The stored version of a definition. */
export function storedVersion({ metadata, spec }: CustomResourceDefinition): DefinedVersion {
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`the CRD ${metadata.name} has no stored version`);
  return stored;
}

function definedVersion(resource: CustomResource, version: ResourceVersion, storage: boolean): DefinedVersion {
  const { name, isDeprecated, columns, hasStatusSubresource, scale } = version;
  return {
    name,
    served: true,
    storage,
    ...(isDeprecated === undefined ? {} : { deprecated: isDeprecated }),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: rootSchema(resource, version) },
    subresources: { ...(hasStatusSubresource && { status: {} }), ...(scale && { scale }) },
  };
}

/** The schema of a version. A spec is optional wherever upstream's CRD has it optional. */
export function rootSchema({ kind, description }: CustomResource, version: ResourceVersion): StructuralSchema {
  const { name, spec, needsSpec, status } = version;
  return {
    description,
    type: 'object',
    ...(needsSpec === undefined ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { description: 'API group and version of this object.', type: 'string' },
      kind: { description: 'Kind of the object.', type: 'string' },
      metadata: { type: 'object' },
      spec: structural(spec, `${kind}.${name}.spec`),
      ...(status === undefined ? {} : { status: structural(status, `${kind}.${name}.status`) }),
    },
  };
}
