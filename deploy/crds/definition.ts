import {
  type CustomResource,
  definitionName,
  isConverted,
  type PrinterColumn,
  type ResourceVersion,
  rootSchema,
} from '../../api/custom-resource.ts';
import type { StructuralSchema } from '../../api/structural.ts';

/** The manifests of CRDs. Bridge and workers need schemas alone, so nothing of this runs in them. */

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
  const { name, isDeprecated, columns, status, scale } = version;
  return {
    name,
    served: true,
    storage,
    ...(isDeprecated === undefined ? {} : { deprecated: isDeprecated }),
    ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema: rootSchema(resource, version) },
    subresources: { ...(status !== undefined && { status: {} }), ...(scale && { scale }) },
  };
}
