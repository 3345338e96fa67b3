import { customResources } from '../../api/crds.ts';
import { toDefinition } from '../../api/custom-resource.ts';
import type { StructuralSchema } from '../../api/structural.ts';
import { type FieldProblem, required } from '../../domain/admission/field-problem.ts';
import { shapeProblems } from '../../domain/admission/shape.ts';

/** An object of any kind and version. */
export interface AnyObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly spec?: unknown;
  readonly status?: unknown;
}

type Schemas = NonNullable<StructuralSchema['properties']>;

const SCHEMAS: ReadonlyMap<string, Schemas> = new Map(
  customResources.map(toDefinition).flatMap(({ spec: { group, names, versions } }) =>
    versions.map(({ name, schema }): [string, Schemas] => {
      const { properties = {} } = schema.openAPIV3Schema;
      return [`${group}/${name} ${String(names['kind'])}`, properties];
    }),
  ),
);

/** Problems of spec and status because of which they cannot be read; none for an unknown kind. */
export function problemsOfShape({ apiVersion, kind, spec, status }: AnyObject): readonly FieldProblem[] {
  const schemas = SCHEMAS.get(`${String(apiVersion)} ${String(kind)}`) ?? {};
  const ofStatus = status === undefined ? [] : shapeProblems(status, schemas['status'] ?? {}, 'status');
  return [
    ...(spec === undefined ? [] : shapeProblems(spec, schemas['spec'] ?? {}, 'spec')),
    // A status can be incomplete at any time.
    ...ofStatus.filter((problem) => problem.kind !== 'Required value'),
  ];
}

/** The same problems of a spec that is validated: the spec of a template must exist. */
export function problemsOfSpec(object: Omit<AnyObject, 'status'>): readonly FieldProblem[] {
  const { apiVersion, kind, spec } = object;
  const isNeeded = spec === undefined && problemsOfShape({ apiVersion, kind, spec: {} }).length > 0;
  return isNeeded ? [required('spec', 'must be an object')] : problemsOfShape({ apiVersion, kind, spec });
}
