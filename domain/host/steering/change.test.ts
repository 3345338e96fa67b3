import { expect, test } from 'vitest';
import { codeOf } from '../../steering/code.ts';
import { steeringChange } from './change.ts';

const code = codeOf('uid-1', 'provision', {});
const BY = { by: 'ada', reason: 'go' };
const value = JSON.stringify({ code, ...BY });

test('an answer takes the place of the other one', () => {
  const both = { 'temper/approval-given': code, 'temper/approval-rejected': code };
  expect(steeringChange({ annotations: both }, { name: 'approve', code, ...BY })).toEqual({
    annotations: { 'temper/approval-given': value, 'temper/approval-rejected': null },
  });
  expect(steeringChange({ annotations: both }, { name: 'reject', code, ...BY })).toEqual({
    annotations: { 'temper/approval-given': null, 'temper/approval-rejected': value },
  });
  expect(steeringChange({ annotations: {} }, { name: 'reject', code, ...BY })).toEqual({
    annotations: { 'temper/approval-rejected': value },
  });
});
