import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertTo } from '../../domain/conversion/convert.ts';
import { CONVERSION_DATA } from '../../domain/conversion/parts/round-trip.ts';
import { LOSSES_OF_V1BETA1, LOSSES_OF_V1BETA2 } from './losses.ts';
import { type ApiObject, KINDS, objectsOf } from './objects.ts';

/**
 * Objects generated from the schema of a version are converted to the other version and back. Only the losses in
 * losses.ts are allowed. `npm run test:nightly` uses 10,000 objects of each kind.
 */
const COUNT = Number(process.env['TEMPER_CONVERTED_OBJECTS'] ?? 80);
const SEED = Number(process.env['TEMPER_CONVERTED_SEED'] ?? 20_260_821);
const GROUP = 'infrastructure.cluster.x-k8s.io';
/** Milliseconds: thousands of objects take long on a busy computer. */
const PATIENCE = 60_000 + COUNT * 1_000;
const [OLD, NEW] = [`${GROUP}/v1beta1`, `${GROUP}/v1beta2`];

const thereAndBack = (object: ApiObject, there: string): unknown =>
  convertTo(object.apiVersion, overTheWire(convertTo(there, object)));

const overTheWire = (object: unknown): ApiObject => JSON.parse(JSON.stringify(object)) as ApiObject;

const after = (object: ApiObject, losses: typeof LOSSES_OF_V1BETA1): unknown => {
  const { spec, status } = object;
  const { spec: ofSpec, status: ofStatus, noStatus } = losses[object.kind] ?? {};
  return {
    ...object,
    ...(spec === undefined ? {} : { spec: ofSpec?.(spec) }),
    ...(status === undefined && noStatus !== undefined && { status: noStatus }),
    ...(status === undefined ? {} : { status: ofStatus === undefined ? status : ofStatus(status) }),
  };
};

/** Ignores the annotations that are added for the way back. */
function withoutData(object: unknown): unknown {
  const { metadata, ...rest } = object as ApiObject;
  const { annotations, ...others } = metadata;
  const { [CONVERSION_DATA]: _, ...left } = annotations ?? {};
  return { ...rest, metadata: { ...others, ...(Object.keys(left).length === 0 ? {} : { annotations: left }) } };
}

describe.each(KINDS)('a %s', (kind) => {
  test('of v1beta1 comes back from v1beta2 without a loss that is not known', { timeout: PATIENCE }, () => {
    fc.assert(
      fc.property(objectsOf(kind, 'v1beta1'), (object) => {
        const wired = overTheWire(object);
        expect(withoutData(thereAndBack(wired, NEW))).toEqual(after(wired, LOSSES_OF_V1BETA1));
      }),
      { numRuns: COUNT, seed: SEED },
    );
  });

  test('of v1beta2 comes back from v1beta1 without a loss that is not known', { timeout: PATIENCE }, () => {
    fc.assert(
      fc.property(objectsOf(kind, 'v1beta2'), (object) => {
        const wired = overTheWire(object);
        expect(thereAndBack(wired, OLD)).toEqual(after(wired, LOSSES_OF_V1BETA2));
      }),
      { numRuns: COUNT, seed: SEED },
    );
  });
});
