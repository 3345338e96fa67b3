import { expect, test } from 'vitest';
import { answerAsked, answerIn, answerValue } from './answer.ts';
import { codeOf, isCode, stepOf } from './code.ts';

const code = codeOf('uid-1', 'power-off', { on: false });

test('a code names its step, and nothing else is a code', () => {
  expect(stepOf(code)).toBe('power-off');
  expect(isCode(code)).toBe(true);
  for (const text of ['', 'power-off', code.toUpperCase(), `${code}0`, `${code} `]) expect(isCode(text)).toBe(false);
});

test('a code is the same for the same wish in another order, and another one for another host, step or wish', () => {
  expect(codeOf('uid-1', 'power-off', { b: 1, a: [2], c: undefined })).toBe(
    codeOf('uid-1', 'power-off', { a: [2], b: 1 }),
  );
  const others = [codeOf('uid-2', 'power-off', { on: false }), codeOf('uid-1', 'provision', { on: false })];
  expect(new Set([code, ...others, codeOf('uid-1', 'power-off', { on: true })]).size).toBe(4);
});

test('an answer is what a message writes, or what a person types', () => {
  expect(answerIn(answerValue({ code, by: 'ada', reason: 'go' }))).toEqual({ code, by: 'ada', reason: 'go' });
  expect(answerIn(`${code} ada the rack\nis empty`)).toEqual({ code, by: 'ada', reason: 'the rack is empty' });
  expect(answerIn(code)).toEqual({ code, by: '', reason: '' });
  expect(answerAsked({ code, by: 'ada', reason: 'go' })).toEqual({ by: 'ada', reason: `${code}: go` });
  expect(answerAsked({ code, by: '', reason: '' })).toEqual({ by: '', reason: code });
});

test.each([undefined, '', 'yes', '{', '{"code":1}', '{"by":"ada","reason":"go","code":"yes"}'])(
  '%j is no answer',
  (value) => expect(answerIn(value)).toBeUndefined(),
);
