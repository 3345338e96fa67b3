import { customResources } from '../../api/crds.ts';
import { rootSchema } from '../../api/custom-resource.ts';
import type { StructuralSchema } from '../../api/structural.ts';
import { type FieldProblem, required } from '../../domain/admission/field-problem.ts';
import { shapeProblems } from '../../domain/admission/shape.ts';
import { withRequired } from '../../domain/conversion/required.ts';

/** An object of any kind and version. */
export interface AnyObject {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly spec?: unknown;
  readonly status?: unknown;
}

type Schemas = NonNullable<StructuralSchema['properties']>;

/** Made for the first object of a version: all of them took a third of the start of a thread. */
const SCHEMAS: ReadonlyMap<string, () => Schemas> = new Map(
  customResources.flatMap((resource) =>
    resource.versions.map((version): [string, () => Schemas] => {
      let made: Schemas | undefined;
      const schemas = (): Schemas => (made ??= rootSchema(resource, version).properties ?? {});
      return [`${resource.group}/${version.name} ${resource.kind}`, schemas];
    }),
  ),
);

const schemasOf = ({ apiVersion, kind }: AnyObject): Schemas =>
  SCHEMAS.get(`${String(apiVersion)} ${String(kind)}`)?.() ?? {};

/** The object with every field that the schema of its version requires, also of a spec that is missing. */
export function completed<Any extends AnyObject>(object: Any): Any {
  const { spec: ofSpec = {}, status: ofStatus = {} } = schemasOf(object);
  const { spec = lacksSpec(object) ? {} : undefined, status } = object;
  return {
    ...object,
    ...(spec !== undefined && { spec: withRequired(spec, ofSpec) }),
    ...(status !== undefined && { status: withRequired(status, ofStatus) }),
  };
}

/** Problems of spec and status because of which they cannot be read; none for an unknown kind. */
export function problemsOfShape({ apiVersion, kind, spec, status }: AnyObject): readonly FieldProblem[] {
  const schemas = schemasOf({ apiVersion, kind });
  const ofStatus = status === undefined ? [] : shapeProblems(status, schemas['status'] ?? {}, 'status');
  return [
    ...(spec === undefined ? [] : shapeProblems(spec, schemas['spec'] ?? {}, 'spec')),
    // A status can be incomplete at any time.
    ...ofStatus.filter((problem) => problem.kind !== 'Required value'),
  ];
}

/** The same problems of a spec that is validated. */
export function problemsOfSpec(object: Omit<AnyObject, 'status'>): readonly FieldProblem[] {
  const { apiVersion, kind, spec } = object;
  return lacksSpec(object) ? [required('spec', 'must be an object')] : problemsOfShape({ apiVersion, kind, spec });
}

/** The spec of a template must exist. */
const lacksSpec = ({ apiVersion, kind, spec }: AnyObject): boolean =>
  spec === undefined && problemsOfShape({ apiVersion, kind, spec: {} }).length > 0;
