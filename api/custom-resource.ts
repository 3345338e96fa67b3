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
  /** It has an endpoint of its own, separate from the spec. */
  readonly status?: z.ZodType;
  /** For `kubectl scale`. */
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
}

/** A kind of which there is one version. */
export const v1alpha1Resource = ({
  columns,
  spec,
  status,
  ...kind
}: Omit<CustomResource, 'versions'> & Pick<ResourceVersion, 'columns' | 'spec' | 'status'>): CustomResource => ({
  ...kind,
  versions: [{ name: 'v1alpha1', columns, spec, ...(status !== undefined && { status }) }],
});

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
