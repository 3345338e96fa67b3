import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { customResources } from '../../api/crds.ts';
import { answerConversion } from '../../k8s-bridge/webhooks/convert.ts';
import { type Json, KINDS, objectsOf } from './objects.ts';
import { answerIn, readAnswers, reviewOf, versionOf } from './upstream/recorded.ts';

/**
 * Users read an object in v1beta1, change it, or copy it, and write it: what the conversion answers must be valid in
 * v1beta1. `npm run test:nightly` uses 10,000 objects of each kind.
 */
const COUNT = Number(process.env['TEMPER_CONVERTED_OBJECTS'] ?? 80);
const SEED = Number(process.env['TEMPER_CONVERTED_SEED'] ?? 20_260_821);
/** Milliseconds: thousands of objects take long on a busy computer. */
const PATIENCE = 60_000 + COUNT * 1_000;

const overTheWire = (object: unknown): Json => JSON.parse(JSON.stringify(object)) as Json;

/** The other version of an object. */
function other(object: Json): Json {
  const answer = answerIn(overTheWire(answerConversion(reviewOf(object)).answer));
  if ('refused' in answer) throw new Error(answer.refused);
  return answer.object;
}

/** What the API server returns in v1beta1 of an object that was created in its version. */
const asRead = (object: Json): Json => (versionOf(object) === 'v1beta1' ? other(other(object)) : other(object));

/** Why the API server would refuse the object in v1beta1. */
function problemsOf({ kind, spec, status }: Json): readonly string[] {
  const version = customResources.find((each) => each.kind === kind)?.versions.find(({ name }) => name === 'v1beta1');
  if (version === undefined) throw new Error(`there is no ${String(kind)} in v1beta1`);
  return [
    { part: 'spec', schema: version.spec, value: spec },
    { part: 'status', schema: version.status, value: status },
  ].flatMap(({ part, schema, value }) =>
    value === undefined
      ? []
      : (schema?.safeParse(value).error?.issues ?? []).map(({ path, message }) =>
          [part, ...path, message].map(String).join(' '),
        ),
  );
}

/** Only v1beta2 has templates without the name of a cluster. */
const isUnexpected = (problem: string): boolean => problem !== 'spec clusterName must have at least 1 characters';

describe.each(KINDS)('a %s', (kind) => {
  test.each(['v1beta1', 'v1beta2'] as const)(
    'of %s can be created again as it is read in v1beta1',
    { timeout: PATIENCE },
    (version) => {
      fc.assert(
        fc.property(objectsOf(kind, version), (object) => {
          expect(problemsOf(asRead(overTheWire(object))).filter(isUnexpected)).toEqual([]);
        }),
        { numRuns: COUNT, seed: SEED },
      );
    },
  );

  test('that upstream has stored can be created again as it is read in v1beta1', () => {
    const stored = readAnswers(kind).flatMap(({ sample, object, answer }) =>
      versionOf(object) === 'v1beta1' && problemsOf(object).length === 0 && 'object' in answer
        ? [{ sample, object: answer.object }]
        : [],
    );
    expect(stored.length).toBeGreaterThan(20);
    for (const { sample, object } of stored)
      expect(problemsOf(asRead(object)).filter(isUnexpected), sample).toEqual([]);
  });
});
