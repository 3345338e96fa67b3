import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AdmittedKind, UnreadableObject } from '../../k8s-bridge/webhooks/admitted.ts';
import { answerConversion } from '../../k8s-bridge/webhooks/convert.ts';
import { admittedKinds, defaultedKinds } from '../../k8s-bridge/webhooks/kinds.ts';
import { answerDefaults, answerReview } from '../../k8s-bridge/webhooks/review.ts';
import { type AnyObject, problemsOfShape } from '../../k8s-bridge/webhooks/shapes.ts';
import { madeUpHosts } from '../mutated/hosts.ts';
import { mutated, mutationsOf } from '../mutated/mutate.ts';
import { type Json, KINDS, objectsOf } from './objects.ts';

/**
 * Valid objects with one to three odd values, anywhere, are converted and validated: nothing may throw, because the
 * webhook server answers an error with status 500. `npm run test:nightly` uses 10,000 objects of each kind.
 */
const COUNT = Number(process.env['TEMPER_CONVERTED_OBJECTS'] ?? 80);
const SEED = Number(process.env['TEMPER_CONVERTED_SEED'] ?? 20_260_821);
const GROUP = 'infrastructure.cluster.x-k8s.io';
/** Milliseconds: thousands of objects take long on a busy computer. */
const PATIENCE = 60_000 + COUNT * 1_000;
const VERSIONS = ['v1beta1', 'v1beta2'] as const;
type Version = (typeof VERSIONS)[number];

const overTheWire = (object: unknown): Json => JSON.parse(JSON.stringify(object)) as Json;

/** The API server never changes kind and version. */
const oddObjects = (kind: string, version: string): fc.Arbitrary<Json> =>
  objectsOf(kind, version)
    .map((object) => overTheWire(object))
    .chain(({ apiVersion, kind: _kind, ...parts }) =>
      mutationsOf(parts).map((mutations) => ({ apiVersion, kind, ...overTheWire(mutated(parts, mutations)) })),
    );

function converted(object: Json, to: Version): Json {
  const request = { uid: 'u1', desiredAPIVersion: `${GROUP}/${to}`, objects: [object] };
  const { answer } = answerConversion({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request });
  return (answer as { readonly response: Json }).response;
}

const review = (operation: string, object: unknown, oldObject?: unknown): unknown => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation, object, ...(oldObject !== undefined && { oldObject }) },
});

const admitting = new Map(admittedKinds({ fakeHardware: false }).map((kind) => [kind.kind, kind]));
const kindOf = (kind: string): AdmittedKind => {
  const found = admitting.get(kind);
  if (found === undefined) throw new UnreadableObject(kind);
  return found;
};

/** An answer to this request, with words when it is a refusal. */
const isAnswer = ({ answer }: { readonly answer: unknown }): boolean => {
  const { uid, allowed, status } = (answer as { readonly response: Json }).response;
  return uid === 'u1' && (allowed === true || ((status as Json)['message'] as string).length > 0);
};

describe.each(KINDS)('a valid %s', (kind) => {
  test.each(VERSIONS)('of %s is converted to one without problems of shape', { timeout: PATIENCE }, (version) => {
    const other = VERSIONS.find((each) => each !== version) ?? version;
    fc.assert(
      fc.property(objectsOf(kind, version), (object) => {
        const { result, convertedObjects } = converted(overTheWire(object), other);
        expect(result).toEqual({ status: 'Success' });
        expect((convertedObjects as readonly AnyObject[]).flatMap(problemsOfShape)).toEqual([]);
      }),
      { numRuns: COUNT, seed: SEED },
    );
  });
});

describe.each(KINDS)('an odd %s', (kind) => {
  test.each(VERSIONS)('of %s is converted, or refused in words', { timeout: PATIENCE }, (version) => {
    const other = VERSIONS.find((each) => each !== version) ?? version;
    fc.assert(
      fc.property(oddObjects(kind, version), (object) => {
        const { uid, result, convertedObjects } = converted(object, other);
        const { status, message = '' } = result as { readonly status: string; readonly message?: string };
        expect(uid).toBe('u1');
        expect(status === 'Success' || message.length > 0).toBe(true);
        expect(convertedObjects).toHaveLength(status === 'Success' ? 1 : 0);
      }),
      { numRuns: COUNT, seed: SEED },
    );
  });
});

test.each([
  ...KINDS.map((kind) => [kind, 'v1beta2'] as const),
  ...['DataImage', 'IPPool', 'IPClaim', 'IPAddress'].map((kind) => [kind, 'v1alpha1'] as const),
])(
  'an odd %s is accepted or refused in words, also as a change of another one',
  { timeout: PATIENCE },
  (kind, version) => {
    const [admits, defaults] = [kindOf(kind), defaultedKinds.find((each) => each.kind === kind)];
    fc.assert(
      fc.property(oddObjects(kind, version), oddObjects(kind, version), (before, after) => {
        expect(isAnswer(answerReview(admits, review('CREATE', after)))).toBe(true);
        expect(isAnswer(answerReview(admits, review('UPDATE', after, before)))).toBe(true);
        expect(defaults === undefined || isAnswer(answerDefaults(defaults, review('CREATE', after)))).toBe(true);
      }),
      { numRuns: COUNT, seed: SEED },
    );
  },
);

test('an odd BareMetalHost is accepted or refused in words, also as a change of another one', () => {
  const admits = kindOf('BareMetalHost');
  const hosts = madeUpHosts(COUNT, SEED).map(({ manifest }) => overTheWire(manifest));
  for (const [index, host] of hosts.entries()) {
    expect(isAnswer(answerReview(admits, review('CREATE', host)))).toBe(true);
    expect(isAnswer(answerReview(admits, review('UPDATE', host, hosts.at(index - 1))))).toBe(true);
  }
});
