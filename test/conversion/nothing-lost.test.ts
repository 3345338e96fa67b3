import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONVERSION_DATA } from '../../domain/conversion/round-trip.ts';
import { convertTo } from '../../domain/convert.ts';
import { type ApiObject, KINDS, objectsOf } from './objects.ts';

/**
 * Objects generated from the schema of a version are converted to the other version and back, twice: what the first
 * way there and back leaves of them stays. What it leaves is pinned by upstream’s answers (upstream.test.ts).
 * `npm run test:nightly` uses 10,000 objects of each kind.
 */
const COUNT = Number(process.env['TEMPER_CONVERTED_OBJECTS'] ?? 80);
const SEED = Number(process.env['TEMPER_CONVERTED_SEED'] ?? 20_260_821);
const GROUP = 'infrastructure.cluster.x-k8s.io';
/** Milliseconds: thousands of objects take long on a busy computer. */
const PATIENCE = 60_000 + COUNT * 1_000;
const [OLD, NEW] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];

const thereAndBack = (object: ApiObject, there: string): ApiObject =>
  overTheWire(convertTo(object.apiVersion, overTheWire(convertTo(there, object))));

const overTheWire = (object: unknown): ApiObject => JSON.parse(JSON.stringify(object)) as ApiObject;

/** Ignores the annotation that is added for the way back. */
function withoutData(object: ApiObject): unknown {
  const { metadata, ...rest } = object;
  const { [CONVERSION_DATA]: _, ...annotations } = metadata.annotations ?? {};
  return { ...rest, metadata: { ...metadata, annotations } };
}

describe.each(KINDS)('a %s', (kind) => {
  test.each([
    ['v1beta1', NEW],
    ['v1beta2', OLD],
  ] as const)(
    'of %s stays as it is when it comes back from the other version a second time',
    { timeout: PATIENCE },
    (version, there) => {
      fc.assert(
        fc.property(objectsOf(kind, version), (object) => {
          const once = thereAndBack(overTheWire(object), there);
          const twice = thereAndBack(once, there);
          expect(once.metadata).toMatchObject(overTheWire(object).metadata);
          expect(withoutData(twice)).toEqual(withoutData(once));
        }),
        { numRuns: COUNT, seed: SEED },
      );
    },
  );
});
