import { describe, expect, test } from 'vitest';
import { CONVERSION_DATA } from '../../domain/conversion/round-trip.ts';
import { answerConversion } from '../../k8s-bridge/webhooks/convert.ts';
import { readFactPage } from '../../scripts/facts/fact-page.ts';
import { type Json, KINDS } from './objects.ts';
import { type Answer, samplesOf, VERSIONS } from './upstream/corpus.ts';
import { asTemper, DECLARED, rowsOf } from './upstream/differences.ts';
import { answerIn, readAnswers, readHeader, reviewOf, versionOf } from './upstream/recorded.ts';

/**
 * What upstream's conversion webhook answered for each of these objects (upstream/README.md) is what ours answers, but
 * for the differences in upstream/differences.ts.
 */
const page = readFactPage('cluster-api');
const rows = page.differences.flatMap((each) => each.rows.map(({ id }) => id));

const ours = (object: Json): Answer => answerIn(answerConversion(reviewOf(object)).answer);

/**
 * Leaves out the text of a refusal, which Temper words differently, and the content of the annotation with the v1beta2 form: each
 * operator reads only the annotation that it has written itself.
 */
function comparable(answer: Answer): unknown {
  if ('refused' in answer) return 'refused';
  const { metadata, ...parts } = answer.object;
  const { annotations = {}, ...others } = metadata as { readonly annotations?: Json };
  const kept = Object.hasOwn(annotations, CONVERSION_DATA) ? { [CONVERSION_DATA]: 'the v1beta2 form' } : {};
  return { ...parts, metadata: { ...others, annotations: { ...annotations, ...kept } } };
}

describe.each(KINDS)('a %s', (kind) => {
  const answers = readAnswers(kind);

  test.each(VERSIONS)('of %s is converted as upstream converts it', (version) => {
    const those = answers.filter(({ object }) => versionOf(object) === version);
    expect(those.length).toBeGreaterThan(20);
    for (const recorded of those)
      expect(comparable(ours(recorded.object)), recorded.sample).toEqual(comparable(asTemper(recorded, answers)));
  });

  test('comes back from v1beta1 as it comes back from upstream', () => {
    const first = new Map(
      answers.map(({ sample, object }) => [`${versionOf(object)} ${sample}: written back`, object]),
    );
    for (const recorded of answers) {
      const before = first.get(`v1beta2 ${recorded.sample}`);
      const older = before === undefined ? undefined : ours(before);
      if (older === undefined || 'refused' in older || rowsOf(recorded, answers).includes('m3-C147')) continue;
      expect(comparable(ours(older.object)), recorded.sample).toEqual(comparable(asTemper(recorded, answers)));
    }
  });

  test('was converted by upstream with every field that it has', () => {
    const samples = VERSIONS.flatMap((version) => samplesOf(kind, version));
    const recorded = answers.filter(({ sample }) => !/^generated|: written back/.test(sample));
    expect(recorded.map(({ sample, object }) => ({ sample, object }))).toEqual(samples);
  });

  test('was converted at the commit that the page of conformance was read at', () => {
    const [, commit] = /read at `(\w+)`/.exec(page.about) ?? [];
    expect(readHeader(kind).commit.slice(0, 8)).toBe(commit);
  });
});

test('every difference has a row, and is seen', () => {
  const seen = new Set(KINDS.map(readAnswers).flatMap((answers) => answers.flatMap((each) => rowsOf(each, answers))));
  expect(DECLARED.filter((row) => !rows.includes(row))).toEqual([]);
  expect([...seen].toSorted()).toEqual([...DECLARED].toSorted());
});
