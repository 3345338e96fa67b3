import type { z } from 'zod';
import { type StructuralSchema, structural } from './structural.ts';

interface PrinterColumn {
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
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly description: string;
  readonly columns: readonly PrinterColumn[];
  readonly spec: z.ZodType;
  readonly status?: z.ZodType;
  /** Whether status is written through an endpoint of its own, apart from the spec. */
  readonly hasStatusSubresource: boolean;
}

export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly scope: 'Namespaced';
    readonly versions: readonly [CustomResourceVersion];
  };
}

interface CustomResourceVersion {
  readonly name: string;
  readonly served: true;
  readonly storage: true;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: StructuralSchema };
  readonly subresources: { readonly status?: Readonly<Record<string, never>> };
}

/** The CustomResourceDefinition to apply for a kind. */
export function toDefinition(resource: CustomResource): CustomResourceDefinition {
  const { group, version, kind, plural, singular, shortNames, columns } = resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, ...(shortNames === undefined ? {} : { shortNames }) },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(columns.length === 0 ? {} : { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: rootSchema(resource) },
          subresources: resource.hasStatusSubresource ? { status: {} } : {},
        },
      ],
    },
  };
}

/** Nothing is required at the root: a manifest without a spec passes, as it does upstream. */
function rootSchema({ kind, description, spec, status }: CustomResource): StructuralSchema {
  return {
    description,
    type: 'object',
    properties: {
      apiVersion: { description: 'Group and version of the API the object is written in.', type: 'string' },
      kind: { description: 'Kind of the object.', type: 'string' },
      metadata: { type: 'object' },
      spec: structural(spec, `${kind}.spec`),
      ...(status === undefined ? {} : { status: structural(status, `${kind}.status`) }),
    },
  };
}
