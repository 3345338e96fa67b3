import fc from 'fast-check';
import { customResources } from '../../api/crds.ts';
import { toDefinition } from '../../deploy/crds/definition.ts';
import type { Convertible } from '../../domain/conversion/convertible.ts';
import { type Instead, valuesOf } from '../mutated/from-schema.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface ApiObject extends Convertible<Json, Json> {
  readonly metadata: Json & { readonly annotations?: Readonly<Record<string, string>> };
}

const definitions = customResources.map(toDefinition);

/** The kinds in two versions. */
export const KINDS: readonly string[] = definitions
  .filter(({ spec }) => spec.group === 'infrastructure.cluster.x-k8s.io')
  .map(({ spec }) => String(spec.names['kind']));

const duration = fc
  .tuple(fc.integer({ min: -5_000, max: 100_000 }), fc.constantFrom('s', 'm', 'h', 'ms', '.5s'))
  .map(([count, unit]) => `${count}${unit}`);
const INSTEAD: Instead = {
  'spec.strategy.timeout': duration,
  'spec.template.spec.strategy.timeout': duration,
};

const metadata = fc.record(
  {
    name: fc.constant('made-up'),
    labels: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
    annotations: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true, minKeys: 1 }),
    finalizers: fc.array(fc.string()),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);

/** A claim has one index; the list, keyed by index, could have more. */
function oneIndexAClaim(status: unknown): unknown {
  const { indexes } = status as { readonly indexes?: unknown };
  if (!Array.isArray(indexes)) return status;
  const byName = new Map((indexes as { readonly name: string }[]).map((entry) => [entry.name, entry]));
  return { ...(status as Json), indexes: [...byName.values()] };
}

/** Objects of a kind that its schema in that version accepts. */
export function objectsOf(kind: string, version: string): fc.Arbitrary<ApiObject> {
  const definition = definitions.find(({ spec }) => spec.names['kind'] === kind);
  const schema = definition?.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema;
  const { spec, status } = schema?.properties ?? {};
  if (definition === undefined || spec === undefined) throw new Error(`there is no ${kind} in ${version}`);
  return fc
    .record(
      {
        apiVersion: fc.constant(`${definition.spec.group}/${version}`),
        kind: fc.constant(kind),
        metadata,
        spec: valuesOf(spec, 'spec', INSTEAD),
        ...(status === undefined ? {} : { status: valuesOf(status, 'status').map(oneIndexAClaim) }),
      },
      { requiredKeys: ['apiVersion', 'kind', 'metadata'], noNullPrototype: true },
    )
    .map((object) => object as unknown as ApiObject);
}
