import { describe, expect, test } from 'vitest';
import { readData } from '../../activities/deployment-record.ts';
import { admittedKinds, defaultedKinds } from '../../k8s-bridge/webhooks/kinds.ts';
import { LIMITS } from '../../k8s-bridge/webhooks/serving/limits.ts';
import { createReviews } from '../../k8s-bridge/webhooks/serving/reviews.ts';
import { cpuTimeOf, takesLonger } from '../../test/builders/cpu-time.ts';
import { machineOf } from '../discovery/machine.ts';
import { BOUNDS, type Bound } from './bounds.ts';
import { type JsonBound, maybeJson } from './json.ts';

const filled = (part: string, characters: number): string => part.repeat(Math.floor(characters / part.length));
const keys = (count: number): string => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;

/** The texts that take the parser most time, of about the length and the number of values that are allowed. */
function worstOf({ characters, values = characters / 4, depth = 64 }: Bound): readonly string[] {
  const nested = `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},`;
  return [
    keys(Math.min(values / 2, characters / 12) - 10),
    `[${filled(nested, Math.min(characters - 10, values))}1]`,
    `[${filled('{},', Math.min(characters - 10, (values - 10) * 1.5))}1]`,
    `"${filled(String.raw`\"`, characters - 10)}"`,
    filled('[', characters),
    filled(' ', characters),
    JSON.stringify(filled('x', characters - 10)),
  ];
}

describe('the worst JSON within a bound', () => {
  const {
    annotation,
    conversionData,
    registryLogin,
    deploymentData,
    workloadAnswer,
    ironicAnswer,
    ironicError,
    payloads,
  } = BOUNDS;
  const small = { annotation, registryLogin, deploymentData, workloadAnswer, ironicAnswer, ironicError, payloads };

  test.each(Object.entries<JsonBound>(small))('takes milliseconds of its thread at most: %s', (_, bound) => {
    const slow = worstOf(bound).filter((text) => takesLonger(() => maybeJson(text, bound), 400));
    expect(slow.map((text) => text.slice(0, 40))).toEqual([]);
  });

  test.each<[string, JsonBound]>([
    ['the conversion data, in the thread of the webhooks', conversionData],
    ['a list of Ironic', BOUNDS.ironicList],
  ])('takes about a second of its thread: %s', (_, bound) => {
    const times = worstOf(bound).map((text) => cpuTimeOf(() => maybeJson(text, bound), 1));
    expect(Math.max(...times)).toBeLessThan(12_000);
  });

  test('of a page of objects takes seconds at most', () => {
    const object = keys(1_000);
    const page = `[${filled(`${object},`, BOUNDS.page.characters)}1]`;
    expect(cpuTimeOf(() => JSON.parse(page) as unknown)).toBeLessThan(8_000);
  });

  test('of the data of a deployment is no data', () => {
    expect(readData(`{"userData":{"name":"${'x'.repeat(5_000)}"}}`)).toBeUndefined();
  });
});

describe('the worst review', () => {
  const reviews = createReviews(admittedKinds({ fakeHardware: false }), defaultedKinds);
  const worst = worstOf(BOUNDS.review).map((text) => Buffer.from(`{"request":{"uid":"u","object":${text}}}`));

  test('is answered before the thread of the webhooks is replaced', () => {
    const path = '/validate-metal3-io-v1alpha1-baremetalhost';
    const times = worst.map((body) => cpuTimeOf(() => reviews.answer(path, body), 1));
    expect(Math.max(...times)).toBeLessThan(LIMITS.threadMs.large);
  });
});

describe('the worst inventory of a machine that nobody knows', () => {
  test('takes milliseconds of its thread at most, and makes no host', () => {
    const interfaces = Array.from({ length: 20_000 }, (_, at) => ({
      mac_address: `52:54:00:00:${at % 90}:01`,
      name: `e${at}`,
    }));
    const inventory = { interfaces } as unknown as Parameters<typeof machineOf>[1];
    const found = () => machineOf({ nodeId: 'n', calledAt: 0 }, inventory, {} as Parameters<typeof machineOf>[2]);
    expect(cpuTimeOf(found)).toBeLessThan(800);
    expect(found()).toHaveProperty('problem');
  });
});
