import { expect, test } from 'vitest';
import { joinedActivities } from './joined-activities.ts';

const one = (): number => 1;
const two = (): number => 2;

test('activities of a worker are joined', () => {
  expect(joinedActivities({ one }, {}, { two })).toEqual({ one, two });
});

test('activities of the same name keep a worker from starting', () => {
  expect(() => joinedActivities({ one, two }, { three: one }, { two: one, one })).toThrow(
    'activities of the same name: two, one',
  );
});
