import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BusyState } from '../states/table.ts';
import { isOverdue } from './stuck.ts';
import { learned, MOST_MODELS, type UsualTimes, usualTime } from './usual-times.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MODEL = 'Dell R640';

const after = (times: UsualTimes, count: number, ms: number, state: BusyState = 'inspecting'): UsualTimes =>
  Array.from({ length: count }).reduce<UsualTimes>((known) => learned(known, MODEL, { state, ms }, 0), times);

describe('the usual time of a state', () => {
  test('is assumed, with much patience, before it was measured', () => {
    expect(usualTime({}, MODEL, 'inspecting')).toEqual({
      usualMs: 10 * MINUTE_MS,
      limitMs: 2 * HOUR_MS,
      count: 0,
      isMeasured: false,
    });
  });

  test('is what was measured on hardware of the model, once there is enough of it', () => {
    const few = usualTime(after({}, 5, 4 * MINUTE_MS), MODEL, 'inspecting');
    expect(few).toEqual({ usualMs: 10 * MINUTE_MS, limitMs: 2 * HOUR_MS, count: 5, isMeasured: false });
    const { usualMs, limitMs, count } = usualTime(after({}, 40, 4 * MINUTE_MS), MODEL, 'inspecting');
    expect(count).toBe(40);
    expect(usualMs).toBeGreaterThanOrEqual(4 * MINUTE_MS);
    expect(usualMs).toBeLessThan(6 * MINUTE_MS);
    expect(limitMs).toBe(3 * usualMs);
  });

  test('of one model and state says nothing about others', () => {
    const times = after({}, 40, 4 * MINUTE_MS);
    expect(usualTime(times, 'HPE DL380', 'inspecting').count).toBe(0);
    expect(usualTime(times, MODEL, 'provisioning').count).toBe(0);
  });

  test('that is very short is no reason for an alarm within five minutes', () => {
    expect(usualTime(after({}, 40, 100), MODEL, 'inspecting').limitMs).toBe(5 * MINUTE_MS);
  });

  test('follows hardware that has become slower, although hosts that hung do not count in full', () => {
    const quick = after({}, 60, 4 * MINUTE_MS);
    const someHung = usualTime(after(quick, 6, 500 * HOUR_MS), MODEL, 'inspecting');
    expect(someHung.limitMs).toBeLessThan(10 * HOUR_MS);
    expect(usualTime(after(quick, 300, 2 * HOUR_MS), MODEL, 'inspecting').usualMs).toBeGreaterThan(2 * HOUR_MS - 1);
  });

  test('is forgotten for the models of which nothing was learned for the longest time', () => {
    let times: UsualTimes = {};
    for (let at = 0; at < 3 * MOST_MODELS; at += 1)
      times = learned(times, `model ${at}`, { state: 'inspecting', ms: MINUTE_MS }, at);
    expect(Object.keys(times)).toHaveLength(MOST_MODELS);
    expect(usualTime(times, 'model 0', 'inspecting').count).toBe(0);
    expect(usualTime(times, `model ${3 * MOST_MODELS - 1}`, 'inspecting').count).toBe(1);
  });

  test.each(['__proto__', 'constructor', 'toString'])('is learned of a model that calls itself %s', (model) => {
    expect(usualTime({}, model, 'inspecting').count).toBe(0);
    const times = learned({}, model, { state: 'inspecting', ms: MINUTE_MS }, 0);
    expect(usualTime(times, model, 'inspecting').count).toBe(1);
  });

  test('needs little memory however much is learned', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 10 ** 9 }), { minLength: 300, maxLength: 600 });
    fc.assert(
      fc.property(durations, (all) => {
        const times = all.reduce<UsualTimes>((known, ms) => learned(known, MODEL, { state: 'inspecting', ms }, 0), {});
        expect(JSON.stringify(times).length).toBeLessThan(600);
        expect(usualTime(times, MODEL, 'inspecting').count).toBeLessThanOrEqual(256);
      }),
      { numRuns: 20 },
    );
  });
});

/** The path of a normal life, with the median of each state on a model that is as fast as others. */
const LIFE: readonly (readonly [BusyState, number])[] = [
  ['registering', MINUTE_MS],
  ['inspecting', 5 * MINUTE_MS],
  ['preparing', 6 * MINUTE_MS],
  ['provisioning', 7 * MINUTE_MS],
  ['deprovisioning', 8 * MINUTE_MS],
  ['deleting', MINUTE_MS],
];
const MODELS = 8;
const LIVES = 500;

/** Normally distributed, from two numbers between 0 and 1. */
const normal = (a: number, b: number): number => Math.sqrt(-2 * Math.log(1 - a)) * Math.cos(2 * Math.PI * b);

/** Numbers between 0 and 1 that follow from the seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x45d9f3b);
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

interface Campaign {
  readonly times: UsualTimes;
  readonly alarms: readonly string[];
}

/** Two thirds of all durations are within the factor 2 of the median. */
const wide = (random: () => number): number => 2 ** normal(random(), random());
/** Nearly all durations are within a third of the median; one in fifty is twice as long. */
const narrowWithRetries = (random: () => number): number =>
  2 ** (0.14 * normal(random(), random())) * (random() < 0.02 ? 2 : 1);

/** 500 lives; each state takes a time around the median of its model. */
function campaign(seed: number, around: (random: () => number) => number): Campaign {
  const random = randomOf(seed);
  const alarms: string[] = [];
  let times: UsualTimes = {};
  for (let life = 0; life < LIVES; life += 1) {
    const at = life % MODELS;
    const model = `model ${at}`;
    const pace = 0.5 + at / 7;
    for (const [state, median] of LIFE) {
      const ms = median * pace * around(random);
      if (isOverdue({ since: 0, usual: usualTime(times, model, state) }, ms)) alarms.push(`${model} ${state} ${ms}`);
      times = learned(times, model, { state, ms }, life);
    }
  }
  return { times, alarms };
}

describe('500 normal lives on 8 models, whose durations vary by the factor 2', () => {
  test('raise no alarm', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 6 }), (seed) => {
        expect(campaign(seed, wide).alarms).toEqual([]);
      }),
      // About one state in 450,000 takes longer than its limit, so the campaigns are always the same ones.
      { seed: 12, numRuns: 10 },
    );
  });

  test('teach enough to find a host that hangs, in each state of each model', () => {
    const { times } = campaign(7, wide);
    for (let at = 0; at < MODELS; at += 1)
      for (const [state, median] of LIFE) {
        const usual = usualTime(times, `model ${at}`, state);
        const hung = 100 * median * (0.5 + at / 7);
        expect(isOverdue({ since: 0, usual }, Math.max(hung, 6 * MINUTE_MS)), `model ${at} ${state}`).toBe(true);
      }
  });
});

test('500 normal lives on 8 models, of which a few are tried twice, raise no alarm: what is rare was not measured yet', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10 ** 6 }), (seed) => {
      expect(campaign(seed, narrowWithRetries).alarms).toEqual([]);
    }),
    // Always the same campaigns.
    { seed: 12, numRuns: 20 },
  );
});
