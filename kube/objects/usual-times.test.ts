import { expect, test } from 'vitest';
import { learned, type UsualTimes } from '../../domain/usual-times/usual-times.ts';
import { readUsualTimes, usualTimesData } from './usual-times.ts';

const passed = (times: UsualTimes, model: string, ms: number): UsualTimes =>
  learned(times, model, { state: 'inspecting', ms }, 1_700_000_000_000);

test('what was learned is read as it was written, with the usual time for people', () => {
  const times = passed(passed(passed({}, 'Dell R640', 60_000), 'Dell R640', 90_000), 'constructor', 1_000);
  const data = usualTimesData(times);
  expect(readUsualTimes({ data })).toEqual(times);
  expect(JSON.parse(data['usual-times.json'] ?? '')).toMatchObject({
    'Dell R640': { states: { inspecting: { usualSeconds: 600, limitSeconds: 7200 } } },
  });
});

test.each([
  undefined,
  {},
  { data: {} },
  { data: { 'usual-times.json': 'x' } },
  { data: { 'usual-times.json': '{"Dell":{"learnedAt":"today","states":{}}}' } },
  {
    data: {
      'usual-times.json':
        '{"Dell":{"learnedAt":"2026-01-01T00:00:00Z","states":{"inspecting":{"durations":{"99":1}}}}}',
    },
  },
  {
    data: {
      'usual-times.json': '{"Dell":{"learnedAt":"2026-01-01T00:00:00Z","states":{"sleeping":{"durations":{}}}}}',
    },
  },
])('what somebody else has written is not taken for times: %j', (object) => {
  expect(readUsualTimes(object)).toBeUndefined();
});
