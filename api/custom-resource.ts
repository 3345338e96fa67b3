import type { z } from 'zod';
import { type StructuralSchema, structural } from './structural.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Columns above 0 show with `kubectl get -o wide` only. */
  readonly priority?: number;
}

/** A kind as the cluster knows it. */
export interface CustomResource {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  /** `kubectl get <category>` lists the kind, too. */
  readonly categories?: readonly string[];
  readonly description: string;
  /** Of the definition itself, not of its objects. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The last one is what is stored. */
  readonly versions: readonly [...ResourceVersion[], ResourceVersion];
}

/** A kind in one of the versions of its API. */
export interface ResourceVersion {
  readonly name: string;
  /** Whoever uses the version is warned. */
  readonly isDeprecated?: true;
  readonly columns: readonly PrinterColumn[];
  readonly spec: z.ZodType;
  /** An object without a spec is refused. */
  readonly needsSpec?: true;
  readonly status?: z.ZodType;
  /** Whether status is written through an endpoint of its own, apart from the spec. */
  readonly hasStatusSubresource: boolean;
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
  /** None at all is the same as an empty one. */
  readonly subresources?: { readonly status?: Readonly<Record<string, never>> };
}

/** The bridge's Service and its certificate in deploy/kubernetes, which convert kinds of several versions. */
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

/** The CustomResourceDefinition to apply for a kind. */
export function toDefinition(resource: CustomResource): CustomResourceDefinition {
  const { group, kind, plural, singular, shortNames, categories, labels, versions } = resource;
  const converted = versions.length > 1 ? CONVERTED_BY : undefined;
  const annotations = { ...converted?.annotations, ...resource.annotations };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames === undefined ? {} : { shortNames }),
        ...(categories === undefined ? {} : { categories }),
      },
      scope: 'Namespaced',
      ...(converted === undefined ? {} : { conversion: converted.conversion }),
      versions: versions.map((version) => definedVersion(resource, version, version === versions.at(-1))),
    },
  };
}

/** The version of a definition that is stored. */
export function storedVersion({ metadata, spec }: CustomResourceDefinition): DefinedVersion {
  const stored = spec.versions.find(({ storage }) => storage);
  if (stored === undefined) throw new Error(`the CRD ${metadata.name} stores none of its versions`);
  return stored;
}

function definedVersion(resource: CustomResource, version: ResourceVersion, storage: boolean): DefinedVersion {
  const { name, isDeprecated, columns, hasStatusSubresource } = version;
  return {
    name,
    served: true,
    storage,
    ...(isDeprecated === undefined ? {} : { deprecated: isDeprecated }),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: rootSchema(resource, version) },
    subresources: hasStatusSubresource ? { status: {} } : {},
  };
}

/** A manifest without a spec passes where upstream's does. */
function rootSchema({ kind, description }: CustomResource, version: ResourceVersion): StructuralSchema {
  const { name, spec, needsSpec, status } = version;
  return {
    description,
    type: 'object',
    ...(needsSpec === undefined ? {} : { required: ['spec'] }),
    properties: {
      apiVersion: { description: 'Group and version of the API the object is written in.', type: 'string' },
      kind: { description: 'Kind of the object.', type: 'string' },
      metadata: { type: 'object' },
      spec: structural(spec, `${kind}.${name}.spec`),
      ...(status === undefined ? {} : { status: structural(status, `${kind}.${name}.status`) }),
    },
  };
}
